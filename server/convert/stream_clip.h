#pragma once

// One clip of a stream ConvertClips.

#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/clip_converter.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/converter_pool.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "server/app/config.h"
#include "server/convert/source.h"
#include "server/limits/admission.h"

namespace bvhmill::server {

// A ConvertClipsResponse that waits to be written.
struct ResponseFrame {
  // To move it would be to copy it.
  std::unique_ptr<grpc::ByteBuffer> message;
  // Bytes of the message, and of the output in it. The latter are drawn from
  // the ticket of the clip until the frame is written.
  int64_t bytes = 0;
  int64_t data_bytes = 0;
};

// Turns the outputs of one clip into frames of the stream. One thread at a
// time.
class FrameReceiver final : public OutputReceiver {
 public:
  // Where frames go, and who grants memory that grows with the clip; a negative
  // number of bytes is given back.
  struct Peer {
    std::function<void(ResponseFrame)> emit;
    std::function<grpc::Status(int64_t bytes)> hold;
  };

  // Chunks have `chunk_bytes`, but for the last of an output.
  FrameReceiver(std::string key, int64_t chunk_bytes, Peer peer)
      : key_(std::move(key)),
        chunk_bytes_(static_cast<size_t>(chunk_bytes)),
        peer_(std::move(peer)) {}

  absl::Status Hold(int64_t bytes) override;
  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;
  // Sends what waits for a chunk to be full.
  void Flush();

  bool has_pending() const;
  // Why there is no memory for the clip or its outputs; OK if there is.
  const grpc::Status& refused() const { return refused_; }

 private:
  void FlushOutput(size_t output);
  absl::Status HoldFrames(int64_t bytes);

  std::string key_;
  size_t chunk_bytes_;
  Peer peer_;
  // Bytes that were drawn for frames and that no frame has yet.
  int64_t held_ = 0;
  grpc::Status refused_;
  std::vector<std::string> pending_;
  std::vector<int64_t> sent_;
};

struct StreamClip;

// Bytes that a conversion takes, at most, to decode a source a little at a
// time.
int64_t DecodingBytes(Encoding encoding);

// The conversion of a clip, slice by slice, so that it can be paused when what
// it makes is not taken. One thread at a time.
class StreamConversion {
 public:
  // `clip` and `config` must outlive it.
  StreamConversion(const StreamClip& clip, const ServerConfig& config,
                   const CancelToken* cancel, FrameReceiver::Peer peer);

  // From now on a step makes outputs of about `bytes`, or of one frame.
  void SetStepBytes(int64_t bytes) { converter_.SetStepBytes(bytes); }
  // Takes the next bytes of the clip; those before must have been used up.
  void Give(std::string bytes);
  // There is something to do with what was given.
  bool has_work() const {
    return has_bytes() || (!broken_ && converter_.has_work());
  }
  // Does a step of it. Returns the bytes of text that it took, or is worth.
  size_t Step();
  // Makes and sends what waits for more.
  void Flush();
  bool has_pending() const {
    return !broken_ && (converter_.CanFlush() || receiver_.has_pending());
  }
  // Nothing more will be given. There may be more to do.
  void End();
  bool has_ended() const { return has_ended_; }
  // The clip has ended. Its outputs are sent; the result is what it returns.
  ConvertResult& Finish();

 private:
  // There are bytes that were not used.
  bool has_bytes() const {
    return at_ < bytes_.size() || text_at_ < text_.size();
  }
  void DropBytes();
  void Decode();
  void CheckDecoded(const absl::Status& status);

  const ServerConfig& config_;
  FrameReceiver receiver_;
  ConvertResult result_;
  ConverterPool::Lease lease_;
  ClipConverter converter_;
  // As they came, and how many are used.
  std::string bytes_;
  size_t at_ = 0;
  // Of sources that are encoded: text that came out, and how much is used.
  std::unique_ptr<Decoder> decoder_;
  size_t decoder_slice_ = 0;
  std::string text_;
  size_t text_at_ = 0;
  bool has_ended_ = false;
  // The clip is not refused yet.
  bool is_wanted_ = true;
  std::optional<grpc::Status> broken_;
};

// A clip from its begin to the writing of its result. Guarded by the mutex of
// its stream, but for the conversion, which belongs to the worker that runs.
struct StreamClip {
  using Clock = std::chrono::steady_clock;

  // As the peer said it, or an excerpt if that was refused for its length.
  std::string key;
  // Those of the stream, unless it has its own; never null.
  std::shared_ptr<const ConvertOptions> options;
  Ticket ticket;
  // Why the clip will not be converted; its bytes are dropped as they come.
  std::optional<ConvertResult> refused;
  int64_t bytes = 0;
  // What came and no worker has taken.
  std::deque<std::string> incoming;
  // Bytes of what the conversion has been given, and may still hold.
  int64_t given_bytes = 0;
  // When it began; had something to be worked on; had all outputs.
  Clock::time_point begun_at = Clock::now();
  std::optional<Clock::time_point> queued_at;
  Clock::time_point made_at;
  std::chrono::nanoseconds queued{};
  std::unique_ptr<StreamConversion> conversion;
  // What waits to be written, and its bytes, with what is being written.
  std::deque<ResponseFrame> outgoing;
  int64_t outgoing_bytes = 0;
  Encoding encoding = Encoding::kIdentity;
  // No other unfinished clip may have the key.
  bool owns_key = false;
  // Nothing more of it will come.
  bool has_ended = false;
  // A worker has it, or is going to.
  bool is_running = false;
  bool has_result = false;
  bool is_abandoned = false;
};

// The last frame of `clip`.
ResponseFrame ResultFrame(const StreamClip& clip, const ConvertResult& result);

}  // namespace bvhmill::server
