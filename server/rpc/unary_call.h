#pragma once

// A unary call: about one clip, or about jobs.

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

// The parts that the work of a call uses.
struct UnaryWork {
  const CancelToken& cancel;
  // The time that the call waited for a worker.
  std::chrono::nanoseconds queued;
  CallRecord& record;
  Ticket& ticket;
  // Not null in the thread where the call came in: work that turns out to take
  // more than some milliseconds sets it and ends, with any status.
  bool* gives_up = nullptr;
  // The work was given up before.
  bool is_again = false;
};

// The work of one call. Each function is called at most once, in this order;
// Work is called again, by a worker, after it was given up.
class UnaryTask {
 public:
  UnaryTask() = default;
  virtual ~UnaryTask() = default;
  UnaryTask(const UnaryTask&) = delete;
  UnaryTask& operator=(const UnaryTask&) = delete;

  // True if parsing the request may take milliseconds: a worker then parses it
  // and does the work.
  virtual bool IsDear() = 0;
  // Parses the request. The caller is known and the bytes are counted. Sets
  // `is_short` if the work usually takes a few milliseconds at most, and is
  // given up if it takes longer. Short work is done in the thread where the
  // call came in: handing it to a worker would take as long. A worker does all
  // other work, and all work of a peer with more than eight running calls.
  // After an error the call ends with that status, without Work.
  virtual absl::Status Read(Ticket* ticket, bool* is_short) = 0;
  // Does the work and fills the response. Its status is that of the call.
  virtual absl::Status Work(const UnaryWork& call) = 0;
};

struct UnaryMethod {
  Method method;
  Scope scope;
  // Serialized bytes of the request.
  int64_t request_bytes;
  // Destroyed when the work is done, before the peer has its response.
  std::unique_ptr<UnaryTask> task;
  // The work may take seconds: it is a long task of the queue.
  bool is_long = false;
};

// Checks and admits the call, does its work, and finishes it with the status of
// the work. The reactor deletes itself. Objects that the task refers to must
// live as long as the call in gRPC.
grpc::ServerUnaryReactor* StartUnaryCall(const CallParts& parts,
                                         grpc::CallbackServerContext* call,
                                         UnaryMethod method);

}  // namespace bvhmill::server
