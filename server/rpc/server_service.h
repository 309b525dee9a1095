#pragma once

// bvhmill.v1.ServerService: describes this server, with its version, its
// formats, and the limits that hold for the caller.

#include "bvhmill/v1/server_service.grpc.pb.h"
#include "server/rpc/call_parts.h"

namespace bvhmill::server {

// Requests and responses are raw bytes, as in ClipService.
class ServerService final
    : public v1::ServerService::WithRawCallbackMethod_GetServerInfo<
          v1::ServerService::Service> {
 public:
  // All parts must outlive the service.
  struct Parts {
    RecordParts record;
    const ServerConfig& config;
    const Connections& connections;
    const FairQueue& queue;
    CallRegistry& calls;
  };

  explicit ServerService(const Parts& parts) : parts_(parts) {}

  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* call,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response) override;

 private:
  absl::Status Answer(const Caller& caller, grpc::ByteBuffer request,
                      grpc::ByteBuffer* response);
  void Describe(const Caller& caller, v1::GetServerInfoResponse* response);

  const Parts parts_;
};

}  // namespace bvhmill::server
