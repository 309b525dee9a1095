#pragma once

// bvhmill.v1.ClipService: one clip in one message, or any number on a stream.

#include "bvhmill/v1/clip_service.grpc.pb.h"
#include "server/limits/stream_memory.h"
#include "server/rpc/call_parts.h"

namespace bvhmill::server {

// Takes and gives messages as bytes: chunks of outputs are not copied then, and
// a request that is no message gets an answer that says so. Chunks of clips are
// copied once, to one piece: the transport has them in pieces of 16 KiB, and to
// read on across their ends takes longer.
using RawClipService = v1::ClipService::WithRawCallbackMethod_ValidateClip<
    v1::ClipService::WithRawCallbackMethod_ConvertClip<
        v1::ClipService::WithRawCallbackMethod_ConvertClips<
            v1::ClipService::Service>>>;

// gRPC's threads only move bytes here, and do what takes no longer than to hand
// it on; the workers of the context do the work.
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
