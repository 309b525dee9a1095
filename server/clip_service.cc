#include "server/clip_service.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/wire/result.h"
#include "server/admission.h"
#include "server/call_record.h"
#include "server/convert_stream.h"
#include "server/rpc_status.h"
#include "server/source.h"

namespace bvhmill::server {
namespace {

using Clock = std::chrono::steady_clock;

// What the work of a unary call is given.
struct Running {
  const CancelToken& cancel;
  // How long it waited for a worker.
  Clock::duration queued;
  CallRecord& record;
  Ticket& ticket;
};

// A unary call that is done by a worker. Deletes itself when gRPC is done with
// it, which is after the worker.
class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  using Work = std::function<grpc::Status(const Running&)>;

  // Checks the call and queues `work`.
  UnaryCall(ServiceContext* context, Method method, Scope scope,
            grpc::CallbackServerContext* call, int64_t request_bytes, Work work)
      : context_(*context), record_(context, method, call) {
    running_ = context_.BeginCall({}, &id_);
    const grpc::Status refused =
        running_ ? Enter(scope, request_bytes) : Stopping();
    if (!refused.ok()) {
      End(refused);
      return;
    }
    context_.workers().Enqueue(
        [this, work = std::move(work), start = Clock::now()] {
          End(work({cancel_, Clock::now() - start, record_, ticket_}));
        });
  }

  void OnCancel() override { cancel_.Cancel(); }

  void OnDone() override {
    record_.Done(cancel_.IsCancelled());
    if (running_) context_.EndCall(id_);
    delete this;
  }

 private:
  grpc::Status Enter(Scope scope, int64_t request_bytes) {
    const grpc::Status status = record_.Enter(scope);
    if (!status.ok()) return status;
    const int64_t limit = context_.config().service.max_request_message_bytes;
    if (Exceeds(request_bytes, limit)) {
      return LimitExceeded("max_request_message_bytes", limit, request_bytes);
    }
    return context_.admission().TryEnter(record_.caller(), record_.peer(),
                                         request_bytes, &ticket_);
  }

  void End(const grpc::Status& status) {
    record_.Finishing(status);
    Finish(status);
  }

  ServiceContext& context_;
  CallRecord record_;
  Ticket ticket_;
  bool running_ = false;
  ServiceContext::CallId id_;
  CancelToken cancel_;
};

// The text of a request, in place or in `decoded`.
grpc::Status ReadSource(const ServerConfig& config, const v1::Source& source,
                        const Running& call, std::string* decoded,
                        std::string_view* text) {
  call.record.AddBytes(static_cast<int64_t>(source.data().size()), 0);
  if (auto status = CheckSource(config, source); !status.ok()) return status;
  Encoding encoding = Encoding::kIdentity;
  if (auto status = ReadEncoding(source.encoding(), &encoding); !status.ok()) {
    return status;
  }
  *text = source.data();
  if (encoding == Encoding::kIdentity) return grpc::Status::OK;
  const grpc::Status status =
      DecodeSource(config, encoding, source.data(), &call.ticket, decoded);
  *text = *decoded;
  return status;
}

grpc::Status Validate(const ServerConfig& config,
                      const v1::ValidateClipRequest& request,
                      const Running& call, v1::ValidateClipResponse* response) {
  std::string decoded;
  std::string_view text;
  if (auto status = ReadSource(config, request.source(), call, &decoded, &text);
      !status.ok()) {
    return status;
  }
  ConvertOptions options;
  if (auto status = ReadOptionsFor(config, request.options(), &options);
      !status.ok()) {
    return status;
  }
  options.checks_only = true;
  ConvertResult result = Convert(text, options, nullptr, &call.cancel);
  result.times.queued = call.queued;
  call.record.AddClip(result);
  if (absl::IsCancelled(result.status)) return ToGrpc(result.status);
  *response->mutable_result() = wire::ToProto(result);
  return grpc::Status::OK;
}

grpc::Status TooLargeForUnary(const ServerConfig& config, int64_t bytes) {
  const int64_t limit = config.service.max_unary_response_bytes;
  return ToGrpc(MakeStatus(absl::StatusCode::kOutOfRange,
                           "the outputs take " + std::to_string(bytes) +
                               " bytes, more than max_unary_response_bytes = " +
                               std::to_string(limit) + "; use ConvertClips"),
                Fault{"RESPONSE_TOO_LARGE",
                      {{"limit_name", "max_unary_response_bytes"},
                       {"limit", std::to_string(limit)},
                       {"value", std::to_string(bytes)},
                       {"use", "ConvertClips"}}});
}

// Puts outputs straight into the message; refuses once they cannot fit.
class UnaryReceiver final : public OutputReceiver {
 public:
  UnaryReceiver(int64_t limit, v1::ClipResult* message)
      : limit_(limit), message_(*message) {}

  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> outputs) override {
    int64_t known = 0;
    for (const OutputInfo& output : outputs) {
      message_.add_outputs();
      known += std::max<int64_t>(output.size_bytes, 0);
    }
    return Check(known);
  }

  absl::Status Data(size_t output, std::string_view bytes) override {
    total_ += static_cast<int64_t>(bytes.size());
    BVHMILL_RETURN_IF_ERROR(Check(total_));
    message_.mutable_outputs(static_cast<int>(output))
        ->mutable_data()
        ->append(bytes);
    return absl::OkStatus();
  }

  // Bytes of outputs that were put.
  int64_t total() const { return total_; }
  // Bytes that do not fit; 0 if all do.
  int64_t overflow() const { return overflow_; }

 private:
  absl::Status Check(int64_t bytes) {
    if (!Exceeds(bytes, limit_)) return absl::OkStatus();
    overflow_ = bytes;
    return MakeStatus(absl::StatusCode::kOutOfRange, "too large");
  }

  int64_t limit_;
  v1::ClipResult& message_;
  int64_t total_ = 0;
  int64_t overflow_ = 0;
};

// Fills `message` with the result; its outputs hold their data already.
void PutResult(const ConvertResult& result, v1::ClipResult* message) {
  v1::ClipResult out = wire::ToProto(result);
  for (int i = 0; i < out.outputs_size(); ++i) {
    out.mutable_outputs(i)->mutable_data()->swap(
        *message->mutable_outputs(i)->mutable_data());
  }
  message->Swap(&out);
}

grpc::Status ConvertOne(const ServerConfig& config,
                        const v1::ConvertClipRequest& request,
                        const Running& call,
                        v1::ConvertClipResponse* response) {
  std::string decoded;
  std::string_view text;
  if (auto status = ReadSource(config, request.source(), call, &decoded, &text);
      !status.ok()) {
    return status;
  }
  ConvertOptions options;
  if (auto status = ReadOptionsFor(config, request.options(), &options);
      !status.ok()) {
    return status;
  }
  if (options.outputs.empty()) {
    return ToGrpc(InvalidField("options.outputs", "is empty"));
  }
  v1::ClipResult* message = response->mutable_result();
  const int64_t limit = config.service.max_unary_response_bytes;
  UnaryReceiver receiver(limit, message);
  ConvertResult result = Convert(text, options, &receiver, &call.cancel);
  result.times.queued = call.queued;
  call.record.AddClip(result);
  if (receiver.overflow() > 0) {
    return TooLargeForUnary(config, receiver.overflow());
  }
  if (!result.status.ok()) return ToGrpc(result.status, result.fault);
  PutResult(result, message);
  const auto bytes = static_cast<int64_t>(response->ByteSizeLong());
  if (Exceeds(bytes, limit)) return TooLargeForUnary(config, bytes);
  call.record.AddBytes(0, receiver.total());
  return grpc::Status::OK;
}

}  // namespace

grpc::ServerUnaryReactor* ClipService::ValidateClip(
    grpc::CallbackServerContext* call, const v1::ValidateClipRequest* request,
    v1::ValidateClipResponse* response) {
  return new UnaryCall(&context_, Method::kValidateClip, Scope::kRead, call,
                       static_cast<int64_t>(request->ByteSizeLong()),
                       [this, request, response](const Running& running) {
                         return Validate(context_.config(), *request, running,
                                         response);
                       });
}

grpc::ServerUnaryReactor* ClipService::ConvertClip(
    grpc::CallbackServerContext* call, const v1::ConvertClipRequest* request,
    v1::ConvertClipResponse* response) {
  return new UnaryCall(&context_, Method::kConvertClip, Scope::kConvert, call,
                       static_cast<int64_t>(request->ByteSizeLong()),
                       [this, request, response](const Running& running) {
                         return ConvertOne(context_.config(), *request, running,
                                           response);
                       });
}

grpc::ServerBidiReactor<v1::ConvertClipsRequest, v1::ConvertClipsResponse>*
ClipService::ConvertClips(grpc::CallbackServerContext* call) {
  return StartConvertStream(&context_, call);
}

}  // namespace bvhmill::server
