#pragma once

// Unary calls that are answered at once and need no ticket: those that ask how
// the server does.

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>
#include <cstdint>

#include "absl/status/status.h"
#include "server/observe/log.h"
#include "server/rpc/call_registry.h"

namespace bvhmill::server {

struct FreeCallParts {
  const Log& log;
  CallRegistry& calls;
  // How long a peer may take to accept the response; 0 = for ever.
  std::chrono::seconds patience;
};

// Ends the call with `status`, and counts it until its peer has the response;
// the call is cancelled if that takes too long. Also while the server drains.
// `request_bytes`: the serialized bytes of its message. `is_use`: the peer is
// active by the call.
grpc::ServerUnaryReactor* AnswerAtOnce(const FreeCallParts& parts,
                                       grpc::CallbackServerContext* call,
                                       int64_t request_bytes, bool is_use,
                                       const absl::Status& status);

}  // namespace bvhmill::server
