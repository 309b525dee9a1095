#pragma once

// Ends calls of methods that no service has, with UNIMPLEMENTED. Without this
// class gRPC ends them, and neither the log nor the metrics have these calls.

#include <grpcpp/generic/async_generic_service.h>

#include "server/rpc/call_parts.h"

namespace bvhmill::server {

class UnknownService final : public grpc::CallbackGenericService {
 public:
  // All parts must outlive the service.
  UnknownService(const RecordParts& record, CallRegistry* calls)
      : record_(record), calls_(*calls) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* call) override;

 private:
  const RecordParts record_;
  CallRegistry& calls_;
};

}  // namespace bvhmill::server
