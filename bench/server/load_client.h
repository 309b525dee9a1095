#pragma once

// Clients that load a server with clips: by streams and by unary calls.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/v1/clip_service.grpc.pb.h"

namespace bvhmill::bench {

using Stub = v1::ClipService::Stub;

// Opens a connection that no other client shares.
std::unique_ptr<Stub> Connect(const std::string& address);

using ClipStream =
    grpc::ClientReaderWriter<v1::ConvertClipsRequest, v1::ConvertClipsResponse>;

// Messages of a stream that requests positions. False if the call has ended.
bool OpenStream(ClipStream* stream);
bool BeginClip(const std::string& key, ClipStream* stream);
bool SendChunk(std::string_view bytes, ClipStream* stream);
bool EndClip(ClipStream* stream);
// Sends a whole clip in one message.
bool SendWhole(const std::string& key, std::string_view text,
               ClipStream* stream);

struct StreamRun {
  // True if each clip got a result, and all results are OK.
  bool ok = false;
  double seconds = 0;
  // Time from the last byte sent to the last byte received.
  double tail_seconds = 0;
  int64_t output_bytes = 0;
};

// Sends `text` as `clips` clips over one stream and requests positions. A clip
// that fits one chunk is one message; others are sent in chunks.
StreamRun ConvertOverStream(Stub* stub, std::string_view text, int64_t clips);

// As ConvertOverStream, for a text of `bytes` bytes: `heads`, then `rows`
// repeated. The text is never in memory as a whole.
StreamRun ConvertEndless(Stub* stub, std::string_view heads,
                         std::string_view rows, int64_t bytes);

// Makes one unary call. False if it failed; `*refused` is true if the server
// asked to try again later.
bool ConvertUnary(Stub* stub, const std::string& text, bool* refused);

}  // namespace bvhmill::bench
