#include "server/rpc/health_service.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/impl/codegen/rpc_service_method.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <memory>
#include <utility>
#include <vector>

#include "server/rpc/catch_as_status.h"
#include "server/rpc/errors.h"
#include "server/rpc/header_bytes.h"
#include "server/rpc/statuses.h"
#include "server/rpc/unary_call.h"

namespace bvhmill::server {
namespace {

using google::protobuf::internal::WireFormatLite;
using Bytes = grpc::ByteBuffer;

// HealthCheckResponse.ServingStatus.
constexpr char kServing = 1;
constexpr char kNotServing = 2;
constexpr char kServiceUnknown = 3;

// HealthCheckResponse: status.
Bytes Response(char status) {
  const grpc::Slice slice(std::string{0x08, status});
  return {&slice, 1};
}

// Reads the field `service` of a HealthCheckRequest. False if the bytes are no
// such message, or too many.
bool ReadRequest(Bytes bytes, std::string* service) {
  constexpr size_t kMaxBytes = 1024;
  if (bytes.Length() > kMaxBytes) return false;
  if (bytes.Length() == 0) return true;
  grpc::ProtoBufferReader reader(&bytes);
  google::protobuf::io::CodedInputStream in(&reader);
  constexpr uint32_t kService = 10;
  while (const uint32_t tag = in.ReadTag()) {
    const bool is_read = tag == kService
                             ? WireFormatLite::ReadString(&in, service)
                             : WireFormatLite::SkipField(&in, tag);
    if (!is_read) return false;
  }
  return in.ConsumedEntireMessage();
}

// A call that ends at once. Deletes itself.
class EndedWatch final : public grpc::ServerWriteReactor<Bytes> {
 public:
  explicit EndedWatch(const absl::Status& status) { Finish(ToGrpc(status)); }
  void OnDone() override { delete this; }
};

}  // namespace

// One call of Watch. Deletes itself in OnDone.
class HealthService::WatchCall final : public grpc::ServerWriteReactor<Bytes> {
 public:
  WatchCall(HealthService* service, grpc::CallbackServerContext* call)
      : service_(*service),
        peer_(call->peer()),
        answer_(std::make_shared<AnswerWatch>(call, service->parts_.patience)) {
    service_.parts_.calls.Begin({.watch = answer_,
                                 .peer = peer_,
                                 .kind = CallKind::kWatch,
                                 .header_bytes = HeaderBytes(*call)},
                                &id_);
  }

  // Ends the call if `refused` is an error; else sends the first response.
  void Start(const Bytes& request, const absl::Status& refused, bool is_known) {
    CallRegistry::Explain(id_, static_cast<int64_t>(request.Length()));
    if (!refused.ok()) return Finish(ToGrpc(refused));
    char status = 0;
    {
      const std::lock_guard lock(service_.mutex_);
      is_known_ = is_known;
      has_started_ = true;
      status = Claim();
    }
    Write(status);
  }

  // Returns the response to write now, or 0 for none. Until that write is done,
  // the call must not finish. REQUIRES: the mutex of the service is held.
  char Claim() {
    if (!has_started_ || is_writing_ || is_over_) return 0;
    const char serving = service_.is_serving_ ? kServing : kNotServing;
    const char status = is_known_ ? serving : kServiceUnknown;
    if (status == sent_) return 0;
    is_writing_ = true;
    return sent_ = status;
  }

  void Write(char status) {
    if (status == 0) return;
    bytes_ = Response(status);
    answer_->Answered();
    StartWrite(&bytes_);
  }

  void OnWriteDone(bool ok) override {
    answer_->Taken();
    char status = 0;
    {
      const std::lock_guard lock(service_.mutex_);
      is_writing_ = false;
      is_over_ = is_over_ || !ok;
      status = Claim();
      if (status == 0 && !is_over_) return;
    }
    status == 0 ? Finish(grpc::Status::CANCELLED) : Write(status);
  }

  void OnCancel() override {
    {
      const std::lock_guard lock(service_.mutex_);
      const bool is_refused = !has_started_;
      const bool was_over = std::exchange(is_over_, true);
      if (is_refused || was_over || is_writing_) return;
    }
    Finish(grpc::Status::CANCELLED);
  }

  void OnDone() override {
    answer_->Done();
    service_.Remove(this);
    service_.parts_.calls.End(id_, /*is_cancelled=*/true);
    delete this;
  }

  const std::string& peer() const { return peer_; }

 private:
  HealthService& service_;
  const std::string peer_;
  const std::shared_ptr<AnswerWatch> answer_;
  CallRegistry::CallId id_;
  Bytes bytes_;
  // The mutex of the service guards these.
  bool has_started_ = false;
  bool is_known_ = true;
  bool is_writing_ = false;
  bool is_over_ = false;
  // The response that was sent last; 0 = none.
  char sent_ = 0;
};

HealthService::HealthService(const FreeCallParts& parts) : parts_(parts) {
  using grpc::internal::RpcServiceMethod;
  AddMethod(new RpcServiceMethod("/grpc.health.v1.Health/Check",
                                 RpcServiceMethod::NORMAL_RPC, nullptr));
  MarkMethodRawCallback(
      0, new grpc::internal::CallbackUnaryHandler<Bytes, Bytes>(
             [this](grpc::CallbackServerContext* call, const Bytes* request,
                    Bytes* out) { return Check(call, *request, out); }));
  AddMethod(new RpcServiceMethod("/grpc.health.v1.Health/Watch",
                                 RpcServiceMethod::SERVER_STREAMING, nullptr));
  MarkMethodRawCallback(
      1, new grpc::internal::CallbackServerStreamingHandler<Bytes, Bytes>(
             [this](grpc::CallbackServerContext* call, const Bytes* request) {
               return Watch(call, *request);
             }));
}

void HealthService::SetServing(bool is_serving) {
  std::vector<std::pair<WatchCall*, char>> writes;
  {
    const std::lock_guard lock(mutex_);
    is_serving_ = is_serving;
    writes.reserve(watches_.size());
    for (WatchCall* const watch : watches_) {
      writes.emplace_back(watch, watch->Claim());
    }
    // Another thread may end those without a write as soon as the mutex is
    // free.
    std::erase_if(writes, [](const auto& write) { return write.second == 0; });
  }
  for (const auto& [watch, status] : writes) watch->Write(status);
}

grpc::ServerUnaryReactor* HealthService::Check(
    grpc::CallbackServerContext* call, const Bytes& request, Bytes* response) {
  std::string service;
  absl::Status status;
  if (!ReadRequest(request, &service)) {
    status = MessageBroken();
  } else if (!service.empty()) {
    status = absl::NotFoundError("service unknown");
  } else {
    const std::lock_guard lock(mutex_);
    *response = Response(is_serving_ ? kServing : kNotServing);
  }
  return AnswerAtOnce(parts_, call, static_cast<int64_t>(request.Length()),
                      /*is_use=*/false, status);
}

grpc::ServerWriteReactor<Bytes>* HealthService::Watch(
    grpc::CallbackServerContext* call, const Bytes& request) {
  std::unique_ptr<WatchCall> made;
  std::string service;
  const absl::Status refused =
      CatchAsStatus(parts_.log, "a watch of health", [&] {
        made = std::make_unique<WatchCall>(this, call);
        return ReadRequest(request, &service) ? Add(made.get())
                                              : MessageBroken();
      });
  if (made == nullptr) return new EndedWatch(refused);
  WatchCall* const watch = made.release();
  watch->Start(request, refused, service.empty());
  return watch;
}

absl::Status HealthService::Add(WatchCall* watch) {
  const std::lock_guard lock(mutex_);
  int& count = counts_[watch->peer()];
  if (count >= kMaxWatches) {
    return LimitExceeded("watches of health of one connection", kMaxWatches,
                         count + 1);
  }
  watches_.insert(watch);
  ++count;
  return absl::OkStatus();
}

void HealthService::Remove(WatchCall* watch) {
  const std::lock_guard lock(mutex_);
  if (watches_.erase(watch) == 0) return;
  const auto count = counts_.find(watch->peer());
  if (--count->second == 0) counts_.erase(count);
}

}  // namespace bvhmill::server
