#pragma once

// A unary call about one clip.

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>
#include <cstdint>
#include <memory>

#include "bvhmill/base/cancel.h"
#include "server/auth/caller.h"
#include "server/limits/admission.h"
#include "server/observe/metrics.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/call_record.h"

namespace bvhmill::server {

// What the work of a call is given.
struct UnaryWork {
  const CancelToken& cancel;
  // How long it waited for a worker.
  std::chrono::nanoseconds queued;
  CallRecord& record;
  Ticket& ticket;
};

// The work of one call. Each function is called once at most, in this order.
class UnaryTask {
 public:
  UnaryTask() = default;
  virtual ~UnaryTask() = default;
  UnaryTask(const UnaryTask&) = delete;
  UnaryTask& operator=(const UnaryTask&) = delete;

  // It may take milliseconds to read the request: a worker does it.
  virtual bool IsDear() = 0;
  // Reads the request, once the caller is known and the bytes are counted. Sets
  // whether the work takes a few milliseconds at most, whatever the request
  // holds: it is done where the call came in, since to hand it to a worker
  // would cost about as much as the work. Else a worker does it, and also where
  // the peer has more than eight calls running.
  virtual absl::Status Read(Ticket* ticket, bool* is_short) = 0;
  virtual absl::Status Work(const UnaryWork& call) = 0;
};

struct UnaryMethod {
  Method method;
  Scope scope;
  // Serialized bytes of the request.
  int64_t request_bytes;
  // Goes when the work is done, whenever the peer takes its outcome.
  std::unique_ptr<UnaryTask> task;
};

// Checks and admits the call, then works, and finishes it with the status of
// the work. What the task refers to lives as long as the call does in gRPC.
grpc::ServerUnaryReactor* StartUnaryCall(const CallParts& parts,
                                         grpc::CallbackServerContext* call,
                                         UnaryMethod method);

}  // namespace bvhmill::server
