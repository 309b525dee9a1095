#pragma once

// Calls that are answered at once and need no ticket: unary calls about the
// state of the server (health, GetServerInfo), and calls of methods that no
// service has.
//
//   return AnswerAtOnce(parts, call, [this](auto* request, auto* response) {
//     return Answer(request, response);
//   });

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <functional>

#include "absl/status/status.h"
#include "server/limits/message_budget.h"
#include "server/observe/log.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/call_registry.h"
#include "server/rpc/raw_service.h"

namespace bvhmill::server {

// All parts must outlive the call.
struct FreeCallParts {
  const Log& log;
  const Connections& connections;
  CallRegistry& calls;
  MessageBudget& small_requests;
  // The time in which the request must arrive, and in which the peer must
  // accept the response; 0 = none.
  std::chrono::seconds timeout;
};

// Answers the call, also while the server drains, with what `work` makes of the
// request. `work` must be short; it may empty the request. The call is
// cancelled if its peer does not accept the response within `parts.timeout`.
using ShortWork = std::function<absl::Status(grpc::ByteBuffer* request,
                                             grpc::ByteBuffer* response)>;
RawReactor* AnswerAtOnce(const FreeCallParts& parts,
                         grpc::CallbackServerContext* call, ShortWork work);

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
