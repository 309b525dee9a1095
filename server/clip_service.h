#pragma once

// bvhmill.v1.ClipService: one clip in one message, or any number on a stream.

#include "bvhmill/v1/clip_service.grpc.pb.h"
#include "server/message_arena.h"
#include "server/service_context.h"

namespace bvhmill::server {

// gRPC's threads only move bytes here; the workers of the context do the work.
class ClipService final : public v1::ClipService::CallbackService {
 public:
  explicit ClipService(ServiceContext* context);

  grpc::ServerUnaryReactor* ValidateClip(
      grpc::CallbackServerContext* call, const v1::ValidateClipRequest* request,
      v1::ValidateClipResponse* response) override;

  grpc::ServerUnaryReactor* ConvertClip(
      grpc::CallbackServerContext* call, const v1::ConvertClipRequest* request,
      v1::ConvertClipResponse* response) override;

  grpc::ServerBidiReactor<v1::ConvertClipsRequest, v1::ConvertClipsResponse>*
  ConvertClips(grpc::CallbackServerContext* call) override;

 private:
  ServiceContext& context_;
  MessageArenas<v1::ValidateClipRequest, v1::ValidateClipResponse>
      validate_messages_;
  MessageArenas<v1::ConvertClipRequest, v1::ConvertClipResponse>
      convert_messages_;
};

}  // namespace bvhmill::server
