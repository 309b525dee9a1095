#pragma once

// Ends calls of methods that no service has with UNIMPLEMENTED. Without it gRPC
// would do that, and neither the log nor the metrics would have these calls.

#include <grpcpp/generic/async_generic_service.h>

#include "server/rpc/call_parts.h"

namespace bvhmill::server {

class UnknownService final : public grpc::CallbackGenericService {
 public:
  UnknownService(const RecordParts& record, CallRegistry* calls)
      : record_(record), calls_(*calls) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* call) override;

 private:
  const RecordParts record_;
  CallRegistry& calls_;
};

}  // namespace bvhmill::server
