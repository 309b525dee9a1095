#pragma once

// Receivers of the outputs of a clip. MeteredReceiver asks before memory is
// used, for the conversion or for outputs. ChunkReceiver also cuts the outputs
// into chunks, for a stream.
//
//   ChunkReceiver receiver(chunk_bytes, {on_begin, on_chunk}, grant);
//   SourceConversion conversion(options, encoding, max_clip_bytes, &receiver,
//                               &cancel);
//   ...
//   if (conversion.Finish().status.ok()) receiver.Flush();
//
// Used by one thread at a time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill::server {

// Draws memory from a ticket, or from another grant, before it is used.
class MeteredReceiver : public OutputReceiver {
 public:
  // Grants `bytes` more, or fails. A negative number returns bytes and always
  // succeeds. Thread-safe.
  using Grant = std::function<absl::Status(int64_t bytes)>;

  explicit MeteredReceiver(Grant grant) : grant_(std::move(grant)) {}

  // Draws `bytes` for the conversion or for outputs, or returns them if the
  // number is negative. Once a request is refused, every later one is refused
  // for the same reason.
  absl::Status Hold(int64_t bytes) final {
    if (bytes < 0) return grant_(bytes);
    if (refused_.ok()) refused_ = grant_(bytes);
    return refused_;
  }

  // The reason why memory was refused; OK if none was. It replaces the status
  // of the conversion as the status of the clip. An item of a job runs again if
  // the memory may be granted later.
  const absl::Status& refused() const { return refused_; }

 private:
  const Grant grant_;
  absl::Status refused_;
};

// Cuts the outputs of one clip into chunks, and draws memory for them.
class ChunkReceiver final : public MeteredReceiver {
 public:
  // The functions that get the chunks, called by the thread that calls the
  // receiver. Both must be set.
  struct Sink {
    // The outputs begin. Called once, before any chunk.
    std::function<void(const ClipInfo& info,
                       std::span<const OutputInfo> outputs)>
        begin;
    // The next bytes of an output; `offset` is the number of bytes before them.
    // Hold has drawn their memory; the sink must return it.
    std::function<void(size_t output, int64_t offset, std::string data)> chunk;
  };

  // A chunk has `chunk_bytes` bytes; the last chunk of an output may be
  // shorter.
  ChunkReceiver(int64_t chunk_bytes, Sink sink, Grant grant)
      : MeteredReceiver(std::move(grant)),
        chunk_bytes_(static_cast<size_t>(chunk_bytes)),
        sink_(std::move(sink)) {}

  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;

  // Passes the bytes that wait for a full chunk to the sink, as shorter chunks.
  void Flush();

 private:
  void FlushOutput(size_t output);
  absl::Status HoldData(int64_t bytes);

  const size_t chunk_bytes_;
  const Sink sink_;
  // Bytes that were drawn and that no output uses yet.
  int64_t drawn_ = 0;
  // By output: the bytes that wait for a full chunk, and the number of bytes
  // that the sink got.
  std::vector<std::string> pending_;
  std::vector<int64_t> sent_;
};

}  // namespace bvhmill::server
