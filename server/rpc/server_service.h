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
  template <typename Request, typename Response, typename Fill>
  RawReactor* Answer(grpc::CallbackServerContext* call, Method method,
                     Fill fill);
  void Describe(const Caller& caller, v1::GetServerInfoResponse* response);

  const Parts parts_;
};

}  // namespace bvhmill::server
