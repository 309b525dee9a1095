#pragma once

// bvhmill.v1.ClipService: one clip in one message, or any number on a stream.

#include "bvhmill/v1/clip_service.grpc.pb.h"
#include "server/limits/stream_memory.h"
#include "server/rpc/call_parts.h"

namespace bvhmill::server {

// Requests and responses are raw bytes, not messages. So chunks of outputs are
// not copied, and a request that cannot be parsed gets a status that says so.
// Chunks of clips are copied once, from the pieces of 16 KiB of the transport
// into one: parsing across the ends of pieces takes longer.
using RawClipService = v1::ClipService::WithRawCallbackMethod_ValidateClip<
    v1::ClipService::WithRawCallbackMethod_ConvertClip<
        v1::ClipService::WithRawCallbackMethod_ConvertClips<
            v1::ClipService::Service>>>;

// The threads of gRPC move bytes and do short work; the workers do all other
// work. `parts` and `stream_memory` must outlive the service.
class ClipService final : public RawClipService {
 public:
  ClipService(const CallParts& parts, StreamMemory* stream_memory)
      : parts_(parts), stream_memory_(*stream_memory) {}

  grpc::ServerUnaryReactor* ValidateClip(grpc::CallbackServerContext* call,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;

  grpc::ServerUnaryReactor* ConvertClip(grpc::CallbackServerContext* call,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ConvertClips(
      grpc::CallbackServerContext* call) override;

 private:
  const CallParts parts_;
  StreamMemory& stream_memory_;
};

}  // namespace bvhmill::server
