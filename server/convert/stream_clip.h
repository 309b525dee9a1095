#pragma once

// One clip of a stream ConvertClips, from its begin to the writing of its
// result.

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/unpack/decoder.h"
#include "server/limits/admission.h"

namespace bvhmill::server {

using OptionsPtr = std::shared_ptr<const ConvertOptions>;

// The log names this as the place where an exception was caught.
inline constexpr char kStreamPlace[] = "a stream";

// A serialized ConvertClipsResponse. Defined in clip_work.h.
struct FrameBody;
// A conversion that a worker runs. Defined in clip_work.h.
struct ClipWork;

// A message that waits to be written.
struct ResponseFrame {
  std::shared_ptr<const FrameBody> body;
  // Bytes of the message, and of the output in it.
  int64_t bytes = 0;
  int64_t data_bytes = 0;
  // Bytes that are drawn from the ticket of the clip until the frame is
  // written.
  int64_t drawn_bytes = 0;
};

// Guarded by the mutex of its stream. While a worker runs the clip, `chunk`,
// `work` and `queued` belong to the worker, and key, options, encoding,
// reports_early, queued_at, has_ended and refused do not change.
struct StreamClip {
  using Clock = std::chrono::steady_clock;

  // The key that the peer sent, or an excerpt of it if it is too long.
  std::string key;
  // The options of the clip, or else those of the stream. Never null.
  OptionsPtr options;
  Encoding encoding = Encoding::kIdentity;
  // Issues are sent as they are found.
  bool reports_early = false;
  Ticket ticket;
  // The result of a clip that was refused. Its bytes are dropped as they come.
  std::optional<ConvertResult> refused;
  // Bytes of the source that came before the clip was refused.
  int64_t bytes = 0;
  // Bytes that came and that no worker has read, and how many count. No other
  // bytes of the clip are taken meanwhile.
  std::string chunk;
  int64_t chunk_bytes = 0;
  // The times when the clip began, when its first bytes came and when its
  // result was made; and how long it waited for a worker.
  Clock::time_point begun_at;
  std::optional<Clock::time_point> queued_at;
  Clock::time_point made_at;
  std::chrono::nanoseconds queued{};
  std::shared_ptr<ClipWork> work;
  // Frames that wait to be written. `outgoing_bytes` are their bytes and those
  // of the frame that is being written.
  std::deque<ResponseFrame> outgoing;
  int64_t outgoing_bytes = 0;
  // No other unfinished clip of the stream may have the key.
  bool owns_key = false;
  // All of the source has come.
  bool has_ended = false;
  // A worker runs it or is going to.
  bool is_running = false;
  bool has_result = false;
  bool is_abandoned = false;
};

using ClipPtr = std::shared_ptr<StreamClip>;

}  // namespace bvhmill::server
