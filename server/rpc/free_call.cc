#include "server/rpc/free_call.h"

#include <atomic>
#include <memory>
#include <string>

#include "server/rpc/call_record.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/errors.h"
#include "server/rpc/header_bytes.h"
#include "server/rpc/statuses.h"
#include "server/rpc/unary_call.h"

namespace bvhmill::server {
namespace {

// Deletes itself in OnDone.
class FreeCall final : public grpc::ServerUnaryReactor {
 public:
  FreeCall(const FreeCallParts& parts, grpc::CallbackServerContext* call)
      : calls_(parts.calls),
        watch_(std::make_shared<AnswerWatch>(call, parts.patience)) {}

  void Begin(const std::string& peer, int64_t header_bytes) {
    calls_.Begin({.watch = watch_,
                  .peer = peer,
                  .kind = CallKind::kFree,
                  .header_bytes = header_bytes},
                 &id_);
  }

  // gRPC may have freed the call when this returns.
  void Answer(int64_t request_bytes, bool is_use, const absl::Status& status) {
    is_use ? CallRegistry::MarkHeard(id_, request_bytes)
           : CallRegistry::Explain(id_, request_bytes);
    watch_->Answered();
    Finish(ToGrpc(status));
  }

  void OnCancel() override { is_cancelled_ = true; }

  void OnDone() override {
    watch_->Done();
    calls_.End(id_, is_cancelled_);
    delete this;
  }

  // OnDone is short.
  bool InternalInlineable() override { return true; }

 private:
  CallRegistry& calls_;
  const std::shared_ptr<AnswerWatch> watch_;
  std::atomic<bool> is_cancelled_{false};
  CallRegistry::CallId id_;
};

}  // namespace

grpc::ServerUnaryReactor* AnswerAtOnce(const FreeCallParts& parts,
                                       grpc::CallbackServerContext* call,
                                       int64_t request_bytes, bool is_use,
                                       const absl::Status& status) {
  std::unique_ptr<FreeCall> made;
  const bool has_begun = CatchAndLog(parts.log, "a call", [&] {
    made = std::make_unique<FreeCall>(parts, call);
    made->Begin(call->peer(), HeaderBytes(*call));
  });
  if (!has_begun) {
    // The default reactor takes no memory.
    grpc::ServerUnaryReactor* const refusal = call->DefaultReactor();
    refusal->Finish(ToGrpc(OutOfMemory()));
    return refusal;
  }
  FreeCall* const reactor = made.release();
  reactor->Answer(request_bytes, is_use, status);
  return reactor;
}

namespace {

// Deletes itself in OnDone.
class UnknownCall final : public grpc::ServerGenericBidiReactor {
 public:
  UnknownCall(const RecordParts& record, CallRegistry* calls,
              grpc::GenericCallbackServerContext* call)
      : calls_(*calls), record_(record, Method::kUnknown, call) {
    const absl::Status status = CatchAsStatus(record.log, "a call", [&] {
      is_counted_ = calls_.Begin({.watch = nullptr,
                                  .peer = record_.peer(),
                                  .header_bytes = record_.header_bytes()},
                                 &id_);
      return MethodUnknown(call->method());
    });
    record_.Finishing(status);
    Finish(ToGrpc(status));
  }

  void OnCancel() override { is_cancelled_ = true; }

  void OnDone() override {
    record_.Done(/*cancelled=*/false);
    if (is_counted_) calls_.End(id_, is_cancelled_);
    delete this;
  }

 private:
  CallRegistry& calls_;
  CallRecord record_;
  bool is_counted_ = false;
  std::atomic<bool> is_cancelled_{false};
  CallRegistry::CallId id_;
};

}  // namespace

grpc::ServerGenericBidiReactor* UnknownService::CreateReactor(
    grpc::GenericCallbackServerContext* call) {
  return new UnknownCall(record_, &calls_, call);
}

}  // namespace bvhmill::server
