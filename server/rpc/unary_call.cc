#include "server/rpc/unary_call.h"

#include <chrono>
#include <memory>
#include <utility>

#include "bvhmill/base/limits.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
namespace {

using Clock = std::chrono::steady_clock;

// Deletes itself in OnDone, which comes after the work.
class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  UnaryCall(const CallParts& parts, grpc::CallbackServerContext* call,
            UnaryMethod method)
      : parts_(parts),
        method_(std::move(method)),
        record_(parts.record, method_.method, call),
        watch_(std::make_shared<AnswerWatch>(
            call, Seconds(parts.config.service.idle_seconds))) {}

  void Start() {
    const absl::Status refused = Guard([this] { return Enter(); });
    if (!refused.ok()) return End(refused);
    if (method_.task->IsDear()) return Queue(/*reads=*/true);
    bool is_short = false;
    const absl::Status read = Read(&is_short);
    if (!read.ok()) return End(read);
    // A peer with many calls takes turns with others.
    if (is_short && !id_->activity.is_one_of_many) return WorkHere();
    Queue(/*reads=*/false);
  }

  void OnCancel() override { cancel_.Cancel(); }

  void OnDone() override {
    watch_->Done();
    record_.Done(cancel_.IsCancelled());
    if (running_) parts_.calls.End(id_, cancel_.IsCancelled());
    delete this;
  }

  // OnDone is short, so gRPC may call it in the same thread; otherwise it would
  // wake up another thread.
  bool InternalInlineable() override { return true; }

 private:
  template <typename Step>
  absl::Status Guard(const Step& step) {
    return CatchAsStatus(parts_.record.log, "a unary call", step);
  }

  absl::Status Enter() {
    running_ = parts_.calls.Begin({.watch = watch_,
                                   .peer = record_.peer(),
                                   .header_bytes = record_.header_bytes()},
                                  &id_);
    if (!running_) return Stopping();
    const absl::Status status = record_.Enter(method_.scope);
    if (!status.ok()) return status;
    CallRegistry::MarkHeard(id_, method_.request_bytes);
    watch_->Entered(id_);
    const int64_t limit = parts_.config.service.max_request_message_bytes;
    if (Exceeds(method_.request_bytes, limit)) {
      return LimitExceeded("max_request_message_bytes", limit,
                           method_.request_bytes);
    }
    // A call about jobs counts no clip: a caller whose job uses up its quota of
    // clips can still ask for the job, and cancel it.
    Admission& admission = parts_.admission;
    return method_.scope == Scope::kJobs
               ? admission.TryHold(*record_.caller(), record_.peer(),
                                   method_.request_bytes, &ticket_)
               : admission.TryEnter(*record_.caller(), record_.peer(),
                                    method_.request_bytes, &ticket_);
  }

  absl::Status Read(bool* is_short) {
    return Guard([&] { return method_.task->Read(&ticket_, is_short); });
  }

  // Hands the work, and with `reads` the parsing of the request, to a worker.
  // The call may be over before this returns.
  void Queue(bool reads) {
    const absl::Status queued = Guard([&] {
      FairQueue& queue = parts_.queue;
      const auto task = [this, reads, start = Clock::now()] {
        const auto waited = Clock::now() - start;
        reads ? ReadAndWork(waited) : Work(waited);
      };
      bool is_queued = true;
      if (method_.is_long) {
        queue.EnqueueLong(record_.turn(), task);
      } else {
        is_queued = queue.Enqueue(record_.turn(), task);
      }
      return is_queued ? absl::OkStatus() : OutOfMemory();
    });
    if (!queued.ok()) End(queued);
  }

  void ReadAndWork(Clock::duration queued) {
    bool is_short = false;
    const absl::Status read =
        cancel_.IsCancelled() ? absl::CancelledError("") : Read(&is_short);
    read.ok() ? Work(queued) : End(read);
  }

  // Does short work in this thread, which also serves other calls. If the work
  // is given up, a worker does it again.
  void WorkHere() {
    bool gives_up = false;
    const absl::Status status = TryWork({}, &gives_up);
    is_again_ = gives_up;
    gives_up ? Queue(/*reads=*/false) : EndWork(status);
  }

  void Work(Clock::duration queued) { EndWork(TryWork(queued, nullptr)); }

  absl::Status TryWork(Clock::duration queued, bool* gives_up) {
    return Guard([&]() -> absl::Status {
      // The call was cancelled while it waited for a worker.
      if (cancel_.IsCancelled()) return absl::CancelledError("");
      return method_.task->Work(
          {cancel_, queued, record_, ticket_, gives_up, is_again_});
    });
  }

  void EndWork(const absl::Status& status) {
    method_.task = nullptr;
    ticket_.Worked();
    End(status);
  }

  void End(const absl::Status& status) {
    record_.Finishing(status);
    watch_->Answered();
    Finish(ToGrpc(status));
  }

  const CallParts parts_;
  UnaryMethod method_;
  CallRecord record_;
  const std::shared_ptr<AnswerWatch> watch_;
  Ticket ticket_;
  bool running_ = false;
  bool is_again_ = false;
  CallRegistry::CallId id_;
  CancelToken cancel_;
};

}  // namespace

grpc::ServerUnaryReactor* StartUnaryCall(const CallParts& parts,
                                         grpc::CallbackServerContext* call,
                                         UnaryMethod method) {
  UnaryCall* reactor = nullptr;
  const absl::Status status =
      CatchAsStatus(parts.record.log, "a unary call", [&] {
        if (WasCut(parts.connections, *call)) return absl::CancelledError("");
        reactor = new UnaryCall(parts, call, std::move(method));
        return absl::OkStatus();
      });
  if (reactor == nullptr) {
    // The default reactor takes no memory.
    grpc::ServerUnaryReactor* const refusal = call->DefaultReactor();
    refusal->Finish(ToGrpc(status));
    return refusal;
  }
  reactor->Start();
  return reactor;
}

}  // namespace bvhmill::server
