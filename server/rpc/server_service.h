#pragma once

// bvhmill.v1.ServerService: what this server is and will accept.

#include "bvhmill/v1/server_service.grpc.pb.h"
#include "server/rpc/service_context.h"

namespace bvhmill::server {

// Takes its message as bytes, as ClipService does.
class ServerService final
    : public v1::ServerService::WithRawCallbackMethod_GetServerInfo<
          v1::ServerService::Service> {
 public:
  explicit ServerService(ServiceContext* context) : context_(*context) {}

  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* call,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response) override;

 private:
  grpc::Status Answer(const Caller& caller, grpc::ByteBuffer request,
                      grpc::ByteBuffer* response);
  void Describe(const Caller& caller, v1::GetServerInfoResponse* response);

  ServiceContext& context_;
};

}  // namespace bvhmill::server
