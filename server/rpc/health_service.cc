#include "server/rpc/health_service.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/rpc/catch_as_status.h"
#include "server/rpc/errors.h"
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

}  // namespace

// One call of Watch. Deletes itself in OnDone.
class HealthService::WatchCall final : public RawReactor {
 public:
  WatchCall(HealthService* service, grpc::CallbackServerContext* call)
      : service_(*service),
        peer_(call->peer()),
        answer_(std::make_shared<AnswerWatch>(call, service->parts_.timeout)) {}

  // Receives the request.
  void Start() {
    const absl::Status refused =
        CatchAsStatus(service_.parts_.log, "a watch of health", [this] {
          return service_.parts_.calls.Begin(
              {.watch = answer_, .peer = peer_, .is_aside = true}, &id_);
        });
    if (!refused.ok()) return Finish(ToGrpc(refused));
    service_.parts_.small_requests.Enter(
        peer_,
        [this] {
          answer_->Answered();
          StartRead(&bytes_);
        },
        &place_);
  }

  void OnReadDone(bool ok) override {
    answer_->Taken();
    service_.parts_.small_requests.Release(&place_);
    if (!ok) return Finish(grpc::Status::CANCELLED);
    std::string name;
    const absl::Status refused =
        CatchAsStatus(service_.parts_.log, "a watch of health", [&] {
          return ReadRequest(bytes_, &name) ? service_.Add(this)
                                            : MessageBroken();
        });
    if (!refused.ok()) return Finish(ToGrpc(refused));
    char status = 0;
    {
      const std::lock_guard lock(service_.mutex_);
      is_known_ = name.empty();
      has_started_ = true;
      status = Claim();
    }
    status == 0 ? Finish(grpc::Status::CANCELLED) : Write(status);
  }

  // Returns the response to write now, or 0 for none. Until that write is done,
  // the call must not finish. Requires that the mutex of the service is held.
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
      const bool was_over = std::exchange(is_over_, true);
      if (has_started_ && (was_over || is_writing_)) return;
      // OnReadDone ends a call that receives its request.
      if (!has_started_ && !service_.parts_.small_requests.Leave(&place_)) {
        return;
      }
    }
    Finish(grpc::Status::CANCELLED);
  }

  void OnDone() override {
    answer_->Done();
    service_.Remove(this);
    if (id_) service_.parts_.calls.End(*id_);
    delete this;
  }

  const std::string& peer() const { return peer_; }

 private:
  HealthService& service_;
  const std::string peer_;
  const std::shared_ptr<AnswerWatch> answer_;
  std::optional<CallRegistry::CallId> id_;
  MessageBudget::Place place_;
  // The request, and then the responses.
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
  RawService::Add("/grpc.health.v1.Health/Check", [this](auto* call) {
    return AnswerAtOnce(parts_, call, [this](auto* request, auto* response) {
      return Check(*request, response);
    });
  });
  RawService::Add("/grpc.health.v1.Health/Watch",
                  [this](auto* call) { return Watch(call); });
}

bool HealthService::is_serving() {
  const std::lock_guard lock(mutex_);
  return is_serving_;
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

absl::Status HealthService::Check(const Bytes& request, Bytes* response) {
  std::string service;
  if (!ReadRequest(request, &service)) return MessageBroken();
  if (!service.empty()) return absl::NotFoundError("service unknown");
  const std::lock_guard lock(mutex_);
  *response = Response(is_serving_ ? kServing : kNotServing);
  return absl::OkStatus();
}

RawReactor* HealthService::Watch(grpc::CallbackServerContext* call) {
  WatchCall* watch = nullptr;
  const bool is_made = CatchAndLog(parts_.log, "a watch of health",
                                   [&] { watch = new WatchCall(this, call); });
  if (!is_made) return new RefusedCall(ToGrpc(OutOfMemory()));
  watch->Start();
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

namespace {

using google::protobuf::DescriptorProto;
using google::protobuf::FieldDescriptorProto;
using google::protobuf::FileDescriptorProto;

FieldDescriptorProto* AddField(const char* name,
                               FieldDescriptorProto::Type type,
                               DescriptorProto* message) {
  FieldDescriptorProto* const field = message->add_field();
  field->set_name(name);
  field->set_number(1);
  field->set_label(FieldDescriptorProto::LABEL_OPTIONAL);
  field->set_type(type);
  return field;
}

// The health checking protocol of gRPC.
FileDescriptorProto HealthFile() {
  FileDescriptorProto file;
  file.set_name("grpc/health/v1/health.proto");
  file.set_package("grpc.health.v1");
  file.set_syntax("proto3");
  DescriptorProto* const request = file.add_message_type();
  request->set_name("HealthCheckRequest");
  AddField("service", FieldDescriptorProto::TYPE_STRING, request);
  DescriptorProto* const response = file.add_message_type();
  response->set_name("HealthCheckResponse");
  const std::string status =
      ".grpc.health.v1.HealthCheckResponse.ServingStatus";
  AddField("status", FieldDescriptorProto::TYPE_ENUM, response)
      ->set_type_name(status);
  auto* const words = response->add_enum_type();
  words->set_name("ServingStatus");
  int number = 0;
  for (const char* const word :
       {"UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"}) {
    auto* const value = words->add_value();
    value->set_name(word);
    value->set_number(number++);
  }
  auto* const service = file.add_service();
  service->set_name("Health");
  for (const char* const name : {"Check", "Watch"}) {
    auto* const method = service->add_method();
    method->set_name(name);
    method->set_input_type(".grpc.health.v1.HealthCheckRequest");
    method->set_output_type(".grpc.health.v1.HealthCheckResponse");
    method->set_server_streaming(std::string(name) == "Watch");
  }
  return file;
}

}  // namespace

void DescribeHealth() {
  // The pool keeps a view of the bytes.
  static const std::string& bytes =
      *new std::string(HealthFile().SerializeAsString());
  static const bool is_added = [] {
    google::protobuf::DescriptorPool::InternalAddGeneratedFile(
        bytes.data(), static_cast<int>(bytes.size()));
    return true;
  }();
  static_cast<void>(is_added);
}

}  // namespace bvhmill::server
