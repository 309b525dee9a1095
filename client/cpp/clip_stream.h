#pragma once

// One clip over the stream ConvertClips. Private to the client library.

#include <grpcpp/client_context.h>

#include <chrono>
#include <string>
#include <string_view>

#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/clip_service.grpc.pb.h"
#include "client/cpp/client.h"

namespace bvhmill::client {

struct StreamedClip {
  std::string_view name;
  ClipData data;
  const v1::ConvertOptions* options = nullptr;
  // Largest number of bytes of data in a message; at least 1.
  size_t chunk_bytes = 0;
  // Largest size of a message in bytes; 0: no limit.
  int64_t max_message_bytes = 0;
  // Largest size of all outputs in bytes; 0: no limit.
  int64_t max_output_bytes = 0;
  // Largest number of issues that come early; 0: no limit.
  int64_t max_issues = 0;
  // The call fails if the server sends and receives nothing for this time; 0:
  // no limit.
  std::chrono::milliseconds answer_timeout{};
  // May be null if no outputs are requested.
  OutputReceiver* receiver = nullptr;
};

// Sends the clip and receives the answers at the same time, so that neither
// side waits for the other to read. Returns the result of the server, or the
// error of the call, the error of the receiver, CANCELLED, DEADLINE_EXCEEDED if
// the server is silent, or INTERNAL if the answers break the protocol. Borrowed
// objects must live until it returns. The receiver is called from this thread.
ConvertResult ConvertByStream(v1::ClipService::Stub* stub,
                              grpc::ClientContext* context,
                              const StreamedClip& clip,
                              const CancelToken* cancel);

}  // namespace bvhmill::client
