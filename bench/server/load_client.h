#pragma once

// What clients do to a mill.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/v1/clip_service.grpc.pb.h"

namespace bvhmill::bench {

using Stub = v1::ClipService::Stub;

// A connection of its own.
std::unique_ptr<Stub> Connect(const std::string& address);

using ClipStream =
    grpc::ClientReaderWriter<v1::ConvertClipsRequest, v1::ConvertClipsResponse>;

// The frames of a stream that asks for positions. False once the call is over.
bool OpenStream(ClipStream* stream);
bool BeginClip(const std::string& key, ClipStream* stream);
bool SendChunk(std::string_view bytes, ClipStream* stream);
bool EndClip(ClipStream* stream);
// A clip in one frame.
bool SendWhole(const std::string& key, std::string_view text,
               ClipStream* stream);

struct StreamRun {
  // Each clip got a result, and every one was good.
  bool ok = false;
  double seconds = 0;
  // From the last byte that was sent to the last one that came.
  double tail_seconds = 0;
  int64_t output_bytes = 0;
};

// Sends `text` `clips` times over one stream, asking for positions; clips of at
// most a chunk as one message, others in chunks.
StreamRun ConvertOverStream(Stub* stub, std::string_view text, int64_t clips);

// The same of a text of `bytes`, `rows` behind `heads` again and again, which
// is never held as a whole.
StreamRun ConvertEndless(Stub* stub, std::string_view heads,
                         std::string_view rows, int64_t bytes);

// One unary call. False if it failed; `*refused` if it was told to come later.
bool ConvertUnary(Stub* stub, const std::string& text, bool* refused);

}  // namespace bvhmill::bench
