#pragma once

// A unary call from its begin to its end: it is checked, admitted, run by a
// worker or in the thread where it came in, and finished. A service implements
// UnaryTask, the work, and calls StartUnaryCall.
//
//   return StartUnaryCall(
//       parts, call,
//       {Method::kConvertClip, Scope::kConvert, request_bytes,
//        std::make_unique<ConvertTask>(request, response)});
//
// AnswerWatch cancels a call whose peer does not accept the response; free
// calls and watches of health use it, too. LiveCall is the same for streams,
// which decide themselves when to cancel.

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "bvhmill/base/cancel.h"
#include "server/auth/caller.h"
#include "server/limits/admission.h"
#include "server/observe/metrics.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/call_record.h"
#include "server/rpc/call_registry.h"

namespace bvhmill::server {

// What the work of a call uses.
struct UnaryWork {
  const CancelToken& cancel;
  // The time that the call waited for a worker.
  std::chrono::nanoseconds queued;
  CallRecord& record;
  Ticket& ticket;
  // Not null in the thread where the call came in. Work that takes more than a
  // few milliseconds must set it and end, with any status.
  bool* gives_up = nullptr;
  // True if the work was given up before.
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

  // True if parsing the request may take milliseconds: a worker then parses the
  // request and does the work.
  virtual bool IsDear() = 0;
  // Parses the request, after the caller is known and the bytes are counted.
  // Sets `is_short` if the work usually takes a few milliseconds at most, and
  // gives up if it takes longer. The thread where the call came in does short
  // work: a hand-over to a worker would take as long. A worker does all other
  // work, and all work of a peer with more than eight running calls. After an
  // error the call ends with that status, without Work.
  virtual absl::Status Read(Ticket* ticket, bool* is_short) = 0;
  // Does the work and fills the response. The call ends with its status.
  virtual absl::Status Work(const UnaryWork& call) = 0;
};

// A call of one method: its rights and its work.
struct UnaryMethod {
  Method method;
  Scope scope;
  // Serialized bytes of the request.
  int64_t request_bytes;
  // Destroyed when the work is done, before the peer has its response.
  std::unique_ptr<UnaryTask> task;
  // The work may take seconds: the queue runs it as a long task.
  bool is_long = false;
};

// Checks and admits the call, does its work, and finishes it with the status of
// the work. The reactor deletes itself. `parts` and the objects that the task
// refers to must live until gRPC is done with the call.
grpc::ServerUnaryReactor* StartUnaryCall(const CallParts& parts,
                                         grpc::CallbackServerContext* call,
                                         UnaryMethod method);

// A call that any thread may cancel at any time. gRPC frees a call soon after
// its OnDone, so Cancel does nothing from then on. Thread-safe.
class LiveCall {
 public:
  explicit LiveCall(grpc::CallbackServerContext* call) : call_(call) {}

  // Does nothing after Done.
  void Cancel() {
    const std::lock_guard lock(mutex_);
    if (call_ != nullptr) call_->TryCancel();
  }
  // Call it in OnDone. Waits for a Cancel of another thread.
  void Done() {
    const std::lock_guard lock(mutex_);
    call_ = nullptr;
  }

 private:
  // TryCancel may call OnDone in the same thread.
  std::recursive_mutex mutex_;
  grpc::CallbackServerContext* call_;
};

// Cancels a call whose peer does not accept the response in time. The registry
// may use it after the call is over. Thread-safe.
class AnswerWatch final : public CallWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // `patience`: the timeout for the peer to accept the response; 0 = none.
  AnswerWatch(grpc::CallbackServerContext* call, std::chrono::seconds patience)
      : patience_(patience), call_(call) {}

  // The response was written: the timeout begins.
  void Answered() {
    const std::lock_guard lock(mutex_);
    answered_at_ = Clock::now();
  }

  // The peer has accepted the response; another one may follow.
  void Taken() {
    const std::lock_guard lock(mutex_);
    answered_at_.reset();
  }

  // gRPC is done with the call.
  void Done() {
    const std::lock_guard lock(mutex_);
    call_ = nullptr;
  }

  // The call is in the registry as `id`: each tick marks it as active until
  // Answered.
  void Entered(CallRegistry::CallId id) {
    const std::lock_guard lock(mutex_);
    id_ = id;
  }

  // Cancels the call after the timeout.
  void OnTick(Clock::time_point now) override {
    const std::lock_guard lock(mutex_);
    if (call_ == nullptr) return;
    if (id_ && !answered_at_) CallRegistry::MarkActive(*id_);
    if (patience_.count() == 0 || !answered_at_) return;
    if (now - *answered_at_ > patience_) call_->TryCancel();
  }

 private:
  const std::chrono::seconds patience_;
  // TryCancel may call OnDone in the same thread.
  std::recursive_mutex mutex_;
  grpc::CallbackServerContext* call_;
  std::optional<CallRegistry::CallId> id_;
  std::optional<Clock::time_point> answered_at_;
};

}  // namespace bvhmill::server
