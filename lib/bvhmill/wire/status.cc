#include "bvhmill/wire/status.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"

namespace bvhmill::wire {
namespace {

// gRPC limits trailers to about 8 KiB; above that, peers see another error. All
// values together stay well below.
constexpr size_t kMaxMessageBytes = 1024;
constexpr size_t kMaxDescriptionBytes = 400;
constexpr size_t kMaxReasonBytes = 64;
constexpr size_t kMaxKeyBytes = 40;
constexpr size_t kMaxValueBytes = 80;
constexpr size_t kMaxValues = 10;

constexpr char kTypePrefix[] = "type.googleapis.com/google.rpc.";

// `bytes` made printable and cut: UTF-8 of at most `max_bytes`.
std::string Cut(std::string_view bytes, size_t max_bytes) {
  std::string out = Excerpt(bytes, max_bytes);
  if (out.size() <= max_bytes) return out;
  constexpr std::string_view kCut = "...";
  out.resize(max_bytes - kCut.size());
  // Not within a character.
  while (!out.empty() && !IsUtf8(out)) out.pop_back();
  return out.append(kCut);
}

v1::ErrorInfo ToErrorInfo(const CallError& error) {
  v1::ErrorInfo info;
  info.set_reason(Cut(error.reason, kMaxReasonBytes));
  info.set_domain(std::string(kErrorDomain));
  ErrorArgs metadata = MetadataOf(error);
  metadata.resize(std::min(metadata.size(), kMaxValues));
  for (const auto& [name, value] : metadata) {
    (*info.mutable_metadata())[Cut(name, kMaxKeyBytes)] =
        Cut(value, kMaxValueBytes);
  }
  return info;
}

// The status of `code` and `message` that `info` describes. `message` begins
// with the field, as MakeCallError makes it.
absl::Status FromErrorInfo(absl::StatusCode code, std::string_view message,
                           const v1::ErrorInfo& info) {
  CallError error{.code = code, .reason = info.reason()};
  ErrorArgs metadata(info.metadata().begin(), info.metadata().end());
  std::sort(metadata.begin(), metadata.end());
  SetMetadata(std::move(metadata), &error);
  const std::string lead = error.field + ": ";
  if (!error.field.empty() && message.starts_with(lead)) {
    message.remove_prefix(lead.size());
  } else if (!error.field.empty()) {
    error.args.emplace_back("field", std::exchange(error.field, {}));
  }
  error.message = message;
  return MakeCallError(std::move(error));
}

template <typename Message>
void Pack(const char* type, const Message& message, v1::RpcStatus* status) {
  google::protobuf::Any* any = status->add_details();
  any->set_type_url(std::string(kTypePrefix) + type);
  message.SerializeToString(any->mutable_value());
}

void PackQuota(const absl::Status& status, std::string_view limit,
               v1::RpcStatus* out) {
  v1::QuotaFailure quota;
  v1::QuotaFailure::Violation* violation = quota.add_violations();
  violation->set_subject(Cut(limit, kMaxReasonBytes));
  violation->set_description(Cut(MessageOf(status), kMaxDescriptionBytes));
  Pack("QuotaFailure", quota, out);
}

void PackRetry(std::string_view milliseconds, v1::RpcStatus* out) {
  int64_t value = 0;
  std::from_chars(milliseconds.data(),
                  milliseconds.data() + milliseconds.size(), value);
  v1::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(value / 1000);
  retry.mutable_retry_delay()->set_nanos(
      static_cast<int32_t>(value % 1000 * 1'000'000));
  Pack("RetryInfo", retry, out);
}

void PackResource(const absl::Status& status, std::string_view type,
                  std::string_view name, v1::RpcStatus* out) {
  v1::ResourceInfo resource;
  resource.set_resource_type(Cut(type, kMaxReasonBytes));
  resource.set_resource_name(Cut(name, kMaxValueBytes));
  resource.set_description(Cut(MessageOf(status), kMaxDescriptionBytes));
  Pack("ResourceInfo", resource, out);
}

void PackBadRequest(const CallError& error, v1::RpcStatus* out) {
  v1::BadRequest request;
  v1::BadRequest::FieldViolation* violation = request.add_field_violations();
  violation->set_field(Cut(error.field, kMaxValueBytes));
  violation->set_description(Cut(error.message, kMaxDescriptionBytes));
  Pack("BadRequest", request, out);
}

}  // namespace

v1::Status ToProto(const absl::Status& status) {
  v1::Status out;
  out.set_code(static_cast<int>(status.code()));
  out.set_message(Cut(MessageOf(status), kMaxMessageBytes));
  if (status.ok()) return out;
  const CallError error = CallErrorOf(status);
  if (!error.reason.empty()) *out.mutable_info() = ToErrorInfo(error);
  return out;
}

absl::Status FromProto(const v1::Status& message) {
  if (message.code() == 0) return absl::OkStatus();
  return FromErrorInfo(static_cast<absl::StatusCode>(message.code()),
                       message.message(), message.info());
}

std::string SerializeDetails(const absl::Status& status) {
  const CallError error = CallErrorOf(status);
  v1::RpcStatus out;
  out.set_code(static_cast<int>(status.code()));
  out.set_message(Cut(MessageOf(status), kMaxMessageBytes));
  if (!error.reason.empty()) Pack("ErrorInfo", ToErrorInfo(error), &out);
  if (!error.limit_name.empty()) PackQuota(status, error.limit_name, &out);
  const std::string_view retry = FindArg(error, "retry_after_ms");
  if (!retry.empty()) PackRetry(retry, &out);
  const std::string_view resource = FindArg(error, "resource_type");
  if (!resource.empty()) {
    PackResource(status, resource, FindArg(error, "resource_name"), &out);
  }
  if (!error.field.empty() && absl::IsInvalidArgument(status)) {
    PackBadRequest(error, &out);
  }
  return out.details_size() == 0 ? "" : out.SerializeAsString();
}

absl::Status FromDetails(absl::StatusCode code, std::string_view message,
                         std::string_view details) {
  v1::RpcStatus status;
  v1::ErrorInfo info;
  if (status.ParseFromArray(details.data(), static_cast<int>(details.size()))) {
    for (const google::protobuf::Any& any : status.details()) {
      if (any.type_url() != std::string(kTypePrefix) + "ErrorInfo") continue;
      v1::ErrorInfo parsed;
      if (parsed.ParseFromString(any.value())) info = std::move(parsed);
    }
  }
  return FromErrorInfo(code, message, info);
}

}  // namespace bvhmill::wire
