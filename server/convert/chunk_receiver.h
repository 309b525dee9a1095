#pragma once

// Cuts the outputs of one clip into chunks, and draws memory for them.

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
#include "server/convert/metered_receiver.h"

namespace bvhmill::server {

// Used by one thread at a time.
class ChunkReceiver final : public MeteredReceiver {
 public:
  // Gets the chunks, in the thread that calls the receiver. Both functions must
  // be set.
  struct Sink {
    // The outputs begin. Called once, before any chunk.
    std::function<void(const ClipInfo& info,
                       std::span<const OutputInfo> outputs)>
        begin;
    // The next bytes of an output; `offset` is the number of bytes before them.
    // Their memory has been drawn by Hold; the sink must give it back.
    std::function<void(size_t output, int64_t offset, std::string data)> chunk;
  };

  // Chunks have `chunk_bytes`; the last chunk of an output may have less.
  ChunkReceiver(int64_t chunk_bytes, Sink sink, Grant grant)
      : MeteredReceiver(std::move(grant)),
        chunk_bytes_(static_cast<size_t>(chunk_bytes)),
        sink_(std::move(sink)) {}

  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;

  // Passes on the bytes that wait for a full chunk, as shorter chunks.
  void Flush();

 private:
  void FlushOutput(size_t output);
  absl::Status HoldData(int64_t bytes);

  const size_t chunk_bytes_;
  const Sink sink_;
  // Bytes that were drawn and that no output uses yet.
  int64_t drawn_ = 0;
  // By output: bytes that wait for a full chunk, and bytes passed on.
  std::vector<std::string> pending_;
  std::vector<int64_t> sent_;
};

}  // namespace bvhmill::server
