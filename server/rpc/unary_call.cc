#include "server/rpc/unary_call.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "bvhmill/base/limits.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
namespace {

using Clock = std::chrono::steady_clock;

// What the server's ticker knows of a call, which may be over when it looks.
class AnswerWatch final : public ServiceContext::CallWatch {
 public:
  // `patience`: how long an answer may wait to be taken; 0 = for ever.
  AnswerWatch(grpc::CallbackServerContext* call, std::chrono::seconds patience)
      : patience_(patience), call_(call) {}

  void Answered() {
    const std::lock_guard lock(mutex_);
    answered_at_ = Clock::now();
  }

  // gRPC is done with the call.
  void Done() {
    const std::lock_guard lock(mutex_);
    call_ = nullptr;
  }

  // The call may be made.
  void Entered(ServiceContext::CallId id) {
    const std::lock_guard lock(mutex_);
    id_ = id;
  }

  // Cancels the call if nobody takes its answer.
  void OnTick(Clock::time_point now) override {
    const std::lock_guard lock(mutex_);
    if (call_ == nullptr) return;
    if (id_ && !answered_at_) ServiceContext::MarkActive(*id_);
    if (patience_.count() == 0 || !answered_at_) return;
    if (now - *answered_at_ > patience_) call_->TryCancel();
  }

 private:
  const std::chrono::seconds patience_;
  // To cancel may be to be done, in the same thread.
  std::recursive_mutex mutex_;
  grpc::CallbackServerContext* call_;
  std::optional<ServiceContext::CallId> id_;
  std::optional<Clock::time_point> answered_at_;
};

// Deletes itself when gRPC is done with it, which is after the work.
class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  UnaryCall(ServiceContext* context, grpc::CallbackServerContext* call,
            UnaryMethod method)
      : context_(*context),
        method_(std::move(method)),
        record_(context, method_.method, call),
        watch_(std::make_shared<AnswerWatch>(
            call, Seconds(context->config().service.idle_seconds))) {}

  void Start() {
    const grpc::Status refused = Guard([this] { return Enter(); });
    if (!refused.ok()) return End(refused);
    if (method_.task->IsDear()) return Queue(/*reads=*/true);
    bool is_short = false;
    const grpc::Status read = Read(&is_short);
    if (!read.ok()) return End(read);
    // A peer with many calls takes its turn among others.
    if (is_short && !id_->is_one_of_many) return Work({});
    Queue(/*reads=*/false);
  }

  void OnCancel() override { cancel_.Cancel(); }

  void OnDone() override {
    watch_->Done();
    record_.Done(cancel_.IsCancelled());
    if (running_) context_.EndCall(id_, cancel_.IsCancelled());
    delete this;
  }

  // gRPC would have one more thread, which it has to wake up for that, call
  // OnDone, unless the reaction is short. It is.
  bool InternalInlineable() override { return true; }

 private:
  template <typename Step>
  grpc::Status Guard(const Step& step) {
    return CatchAsStatus(context_.log(), "a unary call", step);
  }

  grpc::Status Enter() {
    running_ = context_.BeginCall(watch_, record_.peer(), &id_);
    if (!running_) return Stopping();
    const grpc::Status status = record_.Enter(method_.scope);
    if (!status.ok()) return status;
    ServiceContext::MarkActive(id_);
    watch_->Entered(id_);
    const int64_t limit = context_.config().service.max_request_message_bytes;
    if (Exceeds(method_.request_bytes, limit)) {
      return LimitExceeded("max_request_message_bytes", limit,
                           method_.request_bytes);
    }
    return context_.admission().TryEnter(*record_.caller(), record_.peer(),
                                         method_.request_bytes, &ticket_);
  }

  grpc::Status Read(bool* is_short) {
    return Guard([&] { return method_.task->Read(&ticket_, is_short); });
  }

  // Has a worker do the work, and read the request before. The call may be over
  // before this returns.
  void Queue(bool reads) {
    const grpc::Status queued = Guard([&] {
      const bool is_queued = context_.queue().Enqueue(
          record_.turn(), [this, reads, start = Clock::now()] {
            const auto waited = Clock::now() - start;
            reads ? ReadAndWork(waited) : Work(waited);
          });
      return is_queued ? grpc::Status::OK : OutOfMemoryStatus();
    });
    if (!queued.ok()) End(queued);
  }

  void ReadAndWork(Clock::duration queued) {
    bool is_short = false;
    const grpc::Status read =
        cancel_.IsCancelled() ? grpc::Status::CANCELLED : Read(&is_short);
    read.ok() ? Work(queued) : End(read);
  }

  void Work(Clock::duration queued) {
    const grpc::Status status = Guard([&]() -> grpc::Status {
      // While it waited for a worker.
      if (cancel_.IsCancelled()) return grpc::Status::CANCELLED;
      return method_.task->Work({cancel_, queued, record_, ticket_});
    });
    method_.task = nullptr;
    ticket_.Worked();
    End(status);
  }

  void End(const grpc::Status& status) {
    record_.Finishing(status);
    watch_->Answered();
    Finish(status);
  }

  ServiceContext& context_;
  UnaryMethod method_;
  CallRecord record_;
  const std::shared_ptr<AnswerWatch> watch_;
  Ticket ticket_;
  bool running_ = false;
  ServiceContext::CallId id_;
  CancelToken cancel_;
};

}  // namespace

grpc::ServerUnaryReactor* StartUnaryCall(ServiceContext* context,
                                         grpc::CallbackServerContext* call,
                                         UnaryMethod method) {
  UnaryCall* reactor = nullptr;
  const grpc::Status status =
      CatchAsStatus(context->log(), "a unary call", [&] {
        if (context->IsGone(*call)) return grpc::Status::CANCELLED;
        reactor = new UnaryCall(context, call, std::move(method));
        return grpc::Status::OK;
      });
  if (reactor == nullptr) {
    // It takes no memory.
    grpc::ServerUnaryReactor* const refusal = call->DefaultReactor();
    refusal->Finish(status);
    return refusal;
  }
  reactor->Start();
  return reactor;
}

}  // namespace bvhmill::server
