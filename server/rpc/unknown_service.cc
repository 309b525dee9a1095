#include "server/rpc/unknown_service.h"

#include <atomic>

#include "server/rpc/call_record.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
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
