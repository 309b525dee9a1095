#include "server/unary_call.h"

#include <utility>

#include "bvhmill/base/limits.h"
#include "server/rpc_status.h"

namespace bvhmill::server {
namespace {

using Clock = std::chrono::steady_clock;

// Deletes itself when gRPC is done with it, which is after the work.
class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  UnaryCall(ServiceContext* context, grpc::CallbackServerContext* call,
            UnaryMethod method)
      : context_(*context),
        method_(std::move(method)),
        record_(context, method_.method, call) {}

  void Start() {
    running_ = context_.BeginCall({}, &id_);
    const grpc::Status refused = running_ ? Enter() : Stopping();
    if (!refused.ok()) return End(refused);
    if (method_.is_short) return Work({});
    context_.workers().Enqueue(
        [this, start = Clock::now()] { Work(Clock::now() - start); });
  }

  void OnCancel() override { cancel_.Cancel(); }

  void OnDone() override {
    record_.Done(cancel_.IsCancelled());
    if (running_) context_.EndCall(id_);
    delete this;
  }

  // gRPC would have one more thread, which it has to wake up for that, call
  // OnDone, unless the reaction is short. It is.
  bool InternalInlineable() override { return true; }

 private:
  grpc::Status Enter() {
    const grpc::Status status = record_.Enter(method_.scope);
    if (!status.ok()) return status;
    const int64_t limit = context_.config().service.max_request_message_bytes;
    if (Exceeds(method_.request_bytes, limit)) {
      return LimitExceeded("max_request_message_bytes", limit,
                           method_.request_bytes);
    }
    return context_.admission().TryEnter(record_.caller(), record_.peer(),
                                         method_.request_bytes, &ticket_);
  }

  void Work(Clock::duration queued) {
    const grpc::Status status =
        method_.work({cancel_, queued, record_, ticket_});
    ticket_.Worked();
    End(status);
  }

  void End(const grpc::Status& status) {
    record_.Finishing(status);
    Finish(status);
  }

  ServiceContext& context_;
  UnaryMethod method_;
  CallRecord record_;
  Ticket ticket_;
  bool running_ = false;
  ServiceContext::CallId id_;
  CancelToken cancel_;
};

}  // namespace

grpc::ServerUnaryReactor* StartUnaryCall(ServiceContext* context,
                                         grpc::CallbackServerContext* call,
                                         UnaryMethod method) {
  auto* const reactor = new UnaryCall(context, call, std::move(method));
  reactor->Start();
  return reactor;
}

}  // namespace bvhmill::server
