#pragma once

// Methods that no service has: gRPC would send such calls away without a word
// to the log or to who counts.

#include <grpcpp/generic/async_generic_service.h>

#include "server/rpc/service_context.h"

namespace bvhmill::server {

class UnknownService final : public grpc::CallbackGenericService {
 public:
  explicit UnknownService(ServiceContext* context) : context_(*context) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* call) override;

 private:
  ServiceContext& context_;
};

}  // namespace bvhmill::server
