#include "bvhmill/wire/status.h"

#include <algorithm>
#include <charconv>

#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"

namespace bvhmill::wire {
namespace {

// Trailers are capped near 8 KiB, beyond which peers see another error instead;
// these keep well below.
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

// True if it is a field of the call that cannot be, not the file.
bool IsOfField(const Fault& fault) {
  const auto names_field = [](const auto& arg) { return arg.first == "field"; };
  return fault.reason.empty() ||
         std::any_of(fault.metadata.begin(), fault.metadata.end(), names_field);
}

v1::ErrorInfo ToErrorInfo(const Fault& fault) {
  v1::ErrorInfo info;
  info.set_reason(Cut(fault.reason, kMaxReasonBytes));
  info.set_domain(std::string(kErrorDomain));
  const size_t count = std::min(fault.metadata.size(), kMaxValues);
  for (size_t i = 0; i < count; ++i) {
    const auto& [name, value] = fault.metadata[i];
    (*info.mutable_metadata())[Cut(name, kMaxKeyBytes)] =
        Cut(value, kMaxValueBytes);
  }
  return info;
}

template <typename Message>
void Pack(const char* type, const Message& message, v1::RpcStatus* status) {
  google::protobuf::Any* any = status->add_details();
  any->set_type_url(std::string(kTypePrefix) + type);
  message.SerializeToString(any->mutable_value());
}

std::string_view FindValue(const Fault& fault, std::string_view wanted) {
  for (const auto& [name, value] : fault.metadata) {
    if (name == wanted) return value;
  }
  return {};
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

void PackBadRequest(const absl::Status& status, v1::RpcStatus* out) {
  const std::string_view message = MessageOf(status);
  const size_t colon = message.find(": ");
  if (colon == std::string_view::npos) return;
  v1::BadRequest request;
  v1::BadRequest::FieldViolation* violation = request.add_field_violations();
  violation->set_field(Cut(message.substr(0, colon), kMaxValueBytes));
  violation->set_description(
      Cut(message.substr(colon + 2), kMaxDescriptionBytes));
  Pack("BadRequest", request, out);
}

}  // namespace

v1::Status ToProto(const absl::Status& status, const Fault& fault) {
  v1::Status out;
  out.set_code(static_cast<int>(status.code()));
  out.set_message(Cut(MessageOf(status), kMaxMessageBytes));
  if (!fault.reason.empty()) *out.mutable_info() = ToErrorInfo(fault);
  return out;
}

absl::Status FromProto(const v1::Status& message) {
  if (message.code() == 0) return absl::OkStatus();
  return MakeStatus(static_cast<absl::StatusCode>(message.code()),
                    message.message());
}

std::string SerializeDetails(const absl::Status& status, const Fault& fault) {
  v1::RpcStatus out;
  out.set_code(static_cast<int>(status.code()));
  out.set_message(Cut(MessageOf(status), kMaxMessageBytes));
  if (!fault.reason.empty()) Pack("ErrorInfo", ToErrorInfo(fault), &out);
  const std::string_view limit = FindValue(fault, "limit_name");
  if (!limit.empty()) PackQuota(status, limit, &out);
  const std::string_view retry = FindValue(fault, "retry_after_ms");
  if (!retry.empty()) PackRetry(retry, &out);
  const std::string_view resource = FindValue(fault, "resource_type");
  if (!resource.empty()) {
    PackResource(status, resource, FindValue(fault, "resource_name"), &out);
  }
  if (IsOfField(fault) && absl::IsInvalidArgument(status)) {
    PackBadRequest(status, &out);
  }
  return out.details_size() == 0 ? "" : out.SerializeAsString();
}

Fault ParseFault(std::string_view bytes) {
  v1::RpcStatus status;
  Fault fault;
  if (!status.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return fault;
  }
  for (const google::protobuf::Any& any : status.details()) {
    v1::ErrorInfo info;
    if (any.type_url() != std::string(kTypePrefix) + "ErrorInfo") continue;
    if (!info.ParseFromString(any.value())) continue;
    fault.reason = info.reason();
    fault.metadata.assign(info.metadata().begin(), info.metadata().end());
    std::sort(fault.metadata.begin(), fault.metadata.end());
  }
  return fault;
}

}  // namespace bvhmill::wire
