#pragma once

// A unary call from its begin to its end: it is checked and admitted when its
// headers have come, receives its request when there is room for it, is run by
// a worker or in the thread of gRPC, and is answered. A service implements
// UnaryTask, the work, and calls StartUnaryCall:
//
//   return StartUnaryCall(parts, call,
//                         {Method::kConvertClip, Scope::kConvert,
//                          std::make_unique<ConvertTask>(config)});
//
// RequestCall is the part that receives the request and sends the response;
// free calls (free_call.h) use it, too. AnswerWatch cancels a call whose peer
// does not accept the response; watches of health use it. LiveCall is the same
// for streams, which decide themselves when to cancel.

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "bvhmill/base/cancel.h"
#include "server/auth/caller.h"
#include "server/limits/admission.h"
#include "server/limits/message_budget.h"
#include "server/observe/metrics.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/call_record.h"
#include "server/rpc/call_registry.h"
#include "server/rpc/raw_service.h"

namespace bvhmill::server {

// The data that the work of a call uses.
struct UnaryWork {
  const CancelToken& cancel;
  // The time that the call waited for a worker.
  std::chrono::nanoseconds queued;
  CallRecord& record;
  Ticket& ticket;
  // Not null in a thread of gRPC. Work that takes more than a few milliseconds
  // must set it and end, with any status.
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
  virtual bool IsExpensive(grpc::ByteBuffer* request) = 0;
  // Parses the request, and empties it. Sets `is_short` if the work usually
  // takes a few milliseconds at most, and gives up if it takes longer. The
  // thread where the request came in does short work: a hand-over to a worker
  // would take as long. A worker does all other work, and all work of a peer
  // with more than eight running calls. After an error the call ends with that
  // status, without Work.
  virtual absl::Status Read(grpc::ByteBuffer* request, Ticket* ticket,
                            bool* is_short) = 0;
  // Does the work and fills the response. The call ends with its status.
  virtual absl::Status Work(const UnaryWork& call,
                            grpc::ByteBuffer* response) = 0;
};

// A call of one method: its rights and its work.
struct UnaryMethod {
  Method method;
  Scope scope;
  // Destroyed when the work is done, before the peer has its response.
  std::unique_ptr<UnaryTask> task;
  // True for a request whose work may take seconds: the queue runs it as a long
  // task. Null = never.
  bool (*is_long)(const grpc::ByteBuffer& request) = nullptr;
};

// Checks and admits the call, receives its request, does its work, and finishes
// it with the status of the work. The reactor deletes itself. `parts` must live
// until gRPC is done with the call.
RawReactor* StartUnaryCall(const CallParts& parts,
                           grpc::CallbackServerContext* call,
                           UnaryMethod method);

// A call that receives one request when its turn comes, and answers once.
// Derived classes call Begin first, then Receive or Answer, and delete
// themselves in OnEnded.
class RequestCall : public RawReactor {
 public:
  struct Parts {
    const Connections& connections;
    CallRegistry& calls;
    MessageBudget& budget;
    // The time in which a request must arrive from its turn on, and in which
    // the peer must accept the response; 0 = none.
    std::chrono::seconds request_timeout;
    std::chrono::seconds answer_timeout;
  };

  void OnCancel() final;
  void OnReadDone(bool ok) final;
  void OnDone() final;

 protected:
  RequestCall(const Parts& parts, grpc::CallbackServerContext* call);

  // Enters the registry; errors are those of CallRegistry::Begin.
  absl::Status Begin(const std::string& peer, bool is_aside);
  // Waits for a turn of `caller` and receives the request. Then calls
  // OnRequest, or OnNoRequest.
  void Receive(const std::string& caller);
  // Gives the place in the budget back. Call it when the request was parsed by
  // a worker, or is empty.
  void Release() { parts_.budget.Release(&place_); }
  // Sends the response if `status` is OK, else the error. The last call.
  void Answer(const absl::Status& status);
  bool IsOneOfMany() const { return parts_.calls.IsOneOfMany(*id_); }

  // The request may have `bytes` now: when its turn has come, and about once a
  // second while it is received; at last 0.
  virtual void OnExpected(int64_t /*bytes*/) {}
  virtual void OnRequest() = 0;
  // No request came: the call was cancelled, its peer sent none, or it took
  // longer than the timeout.
  virtual void OnNoRequest(const absl::Status& status) = 0;
  // gRPC is done with the call. Must delete the object.
  virtual void OnEnded() = 0;

  CancelToken cancel_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;

 private:
  class Watch;

  // True for the one thread that ends the wait for the request.
  bool StopReceiving();

  const Parts parts_;
  const std::shared_ptr<Watch> watch_;
  std::optional<CallRegistry::CallId> id_;
  std::string peer_;
  MessageBudget::Place place_;
};

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

  // `timeout`: the timeout for the peer to accept the response; 0 = none.
  AnswerWatch(grpc::CallbackServerContext* call, std::chrono::seconds timeout)
      : timeout_(timeout), live_(call) {}

  // The response was written: the timeout begins.
  void Answered() { answered_at_ = Clock::now(); }
  // The peer has accepted the response; another one may follow.
  void Taken() { answered_at_ = Clock::time_point::max(); }
  // gRPC is done with the call.
  void Done() { live_.Done(); }

  // Cancels the call after the timeout.
  void OnTick(Clock::time_point now) override {
    const Clock::time_point since = answered_at_;
    if (timeout_.count() > 0 && since < now && now - since > timeout_) {
      live_.Cancel();
    }
  }

 private:
  const std::chrono::seconds timeout_;
  LiveCall live_;
  std::atomic<Clock::time_point> answered_at_{Clock::time_point::max()};
};

}  // namespace bvhmill::server
