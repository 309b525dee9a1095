#pragma once

// Calls that are answered at once and need no ticket: unary calls about the
// state of the server (health, GetServerInfo), and calls of methods that no
// service has.
//
//   return AnswerAtOnce(parts, call, request_bytes, /*is_use=*/false, status);

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>
#include <cstdint>

#include "absl/status/status.h"
#include "server/observe/log.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/call_registry.h"

namespace bvhmill::server {

// All parts must outlive the call.
struct FreeCallParts {
  const Log& log;
  CallRegistry& calls;
  // The timeout for a peer to accept the response; 0 = none.
  std::chrono::seconds patience;
};

// Ends the call with `status`, also while the server drains. Counts the call
// until its peer has the response, and cancels it after `parts.patience`.
// `request_bytes`: the serialized bytes of its message. `is_use`: the call
// makes its peer an active one (see PeerActivity).
grpc::ServerUnaryReactor* AnswerAtOnce(const FreeCallParts& parts,
                                       grpc::CallbackServerContext* call,
                                       int64_t request_bytes, bool is_use,
                                       const absl::Status& status);

// Ends calls of methods that no service has, with UNIMPLEMENTED. Without this
// class gRPC ends them, and they are neither in the log nor in the metrics.
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
