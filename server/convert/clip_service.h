#pragma once

// bvhmill.v1.ClipService: one clip in one message, or any number on a stream.

#include "bvhmill/v1/clip_service.grpc.pb.h"
#include "server/rpc/service_context.h"

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
  explicit ClipService(ServiceContext* context) : context_(*context) {}

  grpc::ServerUnaryReactor* ValidateClip(grpc::CallbackServerContext* call,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;

  grpc::ServerUnaryReactor* ConvertClip(grpc::CallbackServerContext* call,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ConvertClips(
      grpc::CallbackServerContext* call) override;

 private:
  ServiceContext& context_;
};

}  // namespace bvhmill::server
