#pragma once

// Attacks by one request, which several callers send again and again.

#include <string>

#include "tests/attack/attack.h"

namespace bvhmill::attack {

enum class Route { kConvert, kValidate, kStream };

struct ClipCase {
  std::string name;
  std::string about;
  v1::ConvertClipRequest (*make)();
  Route route = Route::kConvert;
  // gRPC compresses the message.
  bool is_packed = false;
  // Each call is cancelled after that time; 0: never.
  int cancel_ms = 0;
};

// The cases that ClipAttacks and AnimAttacks repeat.
std::vector<ClipCase> ClipCases();
std::vector<ClipCase> AnimCases();

// Repeats the case over several connections.
Attack ToAttack(const ClipCase& clip);

// Makes one call, or one stream, of the case and waits for its end.
void SendCase(const ClipCase& clip, const v1::ConvertClipRequest& request,
              v1::ClipService::Stub* stub, grpc::ClientContext* context);

// A request for the conversion of `text`, which is sent as zstd.
v1::ConvertClipRequest ZstdRequest(const std::string& text);
// Adds an output with an id of its own.
v1::OutputRequest* AddOutput(v1::ConvertClipRequest* request);

// Opens a stream, sends the clip as one message, and reads until its result or
// the end of the stream.
void ConvertOverStream(const v1::ConvertClipRequest& request,
                       v1::ClipService::Stub* stub,
                       grpc::ClientContext* context);

}  // namespace bvhmill::attack
