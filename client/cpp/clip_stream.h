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
  // Bytes of data in one message; at least 1.
  size_t chunk_bytes = 0;
  // Bytes of one message; 0: any number.
  int64_t max_message_bytes = 0;
  // Bytes of all outputs; 0: any number.
  int64_t max_output_bytes = 0;
  // How long the server may send and take nothing; 0: for ever.
  std::chrono::milliseconds answer_timeout{};
  // May be null if no outputs are asked for.
  OutputReceiver* receiver = nullptr;
};

// Sends the clip while it takes the answers in, so that neither side ever waits
// for the other to read. The result of the server; or why there is none: what
// the call said, what the receiver said, CANCELLED, DEADLINE_EXCEEDED if the
// server is silent, or INTERNAL if the answers are not what the protocol
// promises. Everything borrowed must live until it returns; the receiver is
// called from this thread.
ConvertResult ConvertByStream(v1::ClipService::Stub* stub,
                              grpc::ClientContext* context,
                              const StreamedClip& clip,
                              const CancelToken* cancel);

}  // namespace bvhmill::client
