#pragma once

// bvhmill.v1.ServerService: what this server is and will accept.

#include "bvhmill/v1/server_service.grpc.pb.h"
#include "server/service_context.h"

namespace bvhmill::server {

class ServerService final : public v1::ServerService::CallbackService {
 public:
  explicit ServerService(ServiceContext* context) : context_(*context) {}

  grpc::ServerUnaryReactor* GetServerInfo(
      grpc::CallbackServerContext* call,
      const v1::GetServerInfoRequest* request,
      v1::GetServerInfoResponse* response) override;

 private:
  void Describe(const Caller& caller, v1::GetServerInfoResponse* response);

  ServiceContext& context_;
};

}  // namespace bvhmill::server
