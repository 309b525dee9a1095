#pragma once

// bvhmill.v1.ServerService: describes this server, with its version, its
// formats, and the limits that hold for the caller.

#include "bvhmill/v1/server_service.pb.h"
#include "server/net/connection_table.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/raw_service.h"

namespace bvhmill::server {

class ServerService final : public RawService {
 public:
  // All parts must outlive the service.
  struct Parts {
    RecordParts record;
    const ServerConfig& config;
    const Connections& connections;
    const FairQueue& queue;
    CallRegistry& calls;
    MessageBudget& small_requests;
  };

  explicit ServerService(const Parts& parts);

 private:
  RawReactor* GetServerInfo(grpc::CallbackServerContext* call);
  absl::Status Answer(const Caller& caller, grpc::ByteBuffer* request,
                      grpc::ByteBuffer* response);
  void Describe(const Caller& caller, v1::GetServerInfoResponse* response);

  const Parts parts_;
};

}  // namespace bvhmill::server
