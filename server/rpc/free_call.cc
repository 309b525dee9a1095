#include "server/rpc/free_call.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/rpc/call_record.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/errors.h"
#include "server/rpc/statuses.h"
#include "server/rpc/unary_call.h"

namespace bvhmill::server {
namespace {

class FreeCall final : public RequestCall {
 public:
  FreeCall(const FreeCallParts& parts, grpc::CallbackServerContext* call,
           ShortWork work)
      : RequestCall({parts.connections, parts.calls, parts.small_requests,
                     parts.timeout, parts.timeout},
                    call),
        log_(parts.log),
        peer_(call->peer()),
        work_(std::move(work)) {}

  void Start() {
    const absl::Status refused = CatchAsStatus(
        log_, "a call", [this] { return Begin(peer_, /*is_aside=*/true); });
    refused.ok() ? Receive(peer_) : Answer(refused);
  }

 private:
  void OnRequest() override {
    Answer(CatchAsStatus(log_, "a call",
                         [this] { return work_(&request_, &response_); }));
  }
  void OnNoRequest(const absl::Status& status) override { Answer(status); }
  void OnEnded() override { delete this; }

  const Log& log_;
  const std::string peer_;
  const ShortWork work_;
};

}  // namespace

RawReactor* AnswerAtOnce(const FreeCallParts& parts,
                         grpc::CallbackServerContext* call, ShortWork work) {
  FreeCall* reactor = nullptr;
  const bool is_made = CatchAndLog(parts.log, "a call", [&] {
    reactor = new FreeCall(parts, call, std::move(work));
  });
  if (!is_made) return new RefusedCall(ToGrpc(OutOfMemory()));
  reactor->Start();
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
      const absl::Status begun =
          calls_.Begin({.watch = nullptr, .peer = record_.peer()}, &id_);
      return begun.ok() ? MethodUnknown(call->method()) : begun;
    });
    record_.Finishing(status);
    Finish(ToGrpc(status));
  }

  void OnDone() override {
    record_.Done(/*cancelled=*/false);
    if (id_) calls_.End(*id_);
    delete this;
  }

 private:
  CallRegistry& calls_;
  CallRecord record_;
  std::optional<CallRegistry::CallId> id_;
};

}  // namespace

grpc::ServerGenericBidiReactor* UnknownService::CreateReactor(
    grpc::GenericCallbackServerContext* call) {
  return new UnknownCall(record_, &calls_, call);
}

}  // namespace bvhmill::server
