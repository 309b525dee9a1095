#include "server/rpc/unknown_service.h"

#include <atomic>

#include "server/rpc/call_record.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
namespace {

// Deletes itself when gRPC is done with it.
class UnknownCall final : public grpc::ServerGenericBidiReactor {
 public:
  UnknownCall(ServiceContext* context, grpc::GenericCallbackServerContext* call)
      : context_(*context), record_(context, Method::kUnknown, call) {
    const grpc::Status status = CatchAsStatus(context_.log(), "a call", [&] {
      is_counted_ = context_.BeginCall(nullptr, record_.peer(), &id_);
      return MethodUnknown(call->method());
    });
    record_.Finishing(status);
    Finish(status);
  }

  void OnCancel() override { is_cancelled_ = true; }

  void OnDone() override {
    record_.Done(/*cancelled=*/false);
    if (is_counted_) context_.EndCall(id_, is_cancelled_);
    delete this;
  }

 private:
  ServiceContext& context_;
  CallRecord record_;
  bool is_counted_ = false;
  std::atomic<bool> is_cancelled_{false};
  ServiceContext::CallId id_;
};

}  // namespace

grpc::ServerGenericBidiReactor* UnknownService::CreateReactor(
    grpc::GenericCallbackServerContext* call) {
  return new UnknownCall(&context_, call);
}

}  // namespace bvhmill::server
