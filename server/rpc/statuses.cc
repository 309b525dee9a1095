#include "server/rpc/statuses.h"

#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/wire/status.h"

namespace bvhmill::server {
namespace {

const char* NameOf(Scope scope) {
  switch (scope) {
    case Scope::kRead:
      return "read";
    case Scope::kConvert:
      return "convert";
    case Scope::kJobs:
      return "jobs";
    case Scope::kAdmin:
      break;
  }
  return "admin";
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status, const Fault& fault) {
  if (status.ok()) return grpc::Status::OK;
  return {static_cast<grpc::StatusCode>(status.code()),
          wire::ToProto(status, {}).message(),
          wire::SerializeDetails(status, fault)};
}

absl::Status FromGrpc(const grpc::Status& status, Fault* fault) {
  *fault = wire::ParseFault(status.error_details());
  return MakeStatus(static_cast<absl::StatusCode>(status.error_code()),
                    status.error_message());
}

grpc::Status LimitExceeded(std::string_view limit_name, int64_t limit,
                           int64_t value) {
  const std::string name(limit_name);
  const std::string text = std::to_string(value) + " is more than " + name +
                           " = " + std::to_string(limit);
  return ToGrpc(MakeStatus(absl::StatusCode::kResourceExhausted, text),
                Fault{"LIMIT_EXCEEDED",
                      {{"limit_name", name},
                       {"limit", std::to_string(limit)},
                       {"value", std::to_string(value)}}});
}

grpc::Status TokenUnknown() {
  return ToGrpc(MakeStatus(absl::StatusCode::kUnauthenticated,
                           "the call needs a bearer token that is known here"),
                Fault{"TOKEN_UNKNOWN", {}});
}

grpc::Status ScopeMissing(std::string_view caller, std::string_view method,
                          Scope scope) {
  const std::string name(caller);
  return ToGrpc(
      MakeStatus(absl::StatusCode::kPermissionDenied,
                 "the token " + name + " lacks the scope " + NameOf(scope)),
      Fault{"SCOPE_MISSING",
            {{"token", name},
             {"scope", NameOf(scope)},
             {"resource_type", "method"},
             {"resource_name", std::string(method)}}});
}

grpc::Status OutOfMemory() {
  // Made in time: Protobuf's maps do not survive that there is no memory.
  static const auto* const kStatus = new grpc::Status(
      ToGrpc(MakeStatus(absl::StatusCode::kResourceExhausted,
                        "the server has no memory for it"),
             Fault{"SERVER_BUSY", {{"retry_after_ms", "1000"}}}));
  return *kStatus;
}

grpc::Status InternalFault() {
  return ToGrpc(MakeStatus(absl::StatusCode::kInternal,
                           "a fault of the server; its log may say more"),
                Fault{"SERVER_FAULT", {}});
}

grpc::Status Stopping() {
  return ToGrpc(MakeStatus(absl::StatusCode::kUnavailable,
                           "the server is stopping; try another one"),
                Fault{"SERVER_STOPPING", {{"retry_after_ms", "1000"}}});
}

grpc::Status MethodUnknown(std::string_view method) {
  return ToGrpc(MakeStatus(absl::StatusCode::kUnimplemented,
                           "there is no method " + Excerpt(method)),
                Fault{"METHOD_UNKNOWN", {}});
}

grpc::Status UnknownEncoding(int encoding) {
  return ToGrpc(
      MakeStatus(absl::StatusCode::kUnimplemented,
                 "source.encoding: " + std::to_string(encoding) +
                     " is not served; see GetServerInfo.encodings"),
      Fault{"ENCODING_UNKNOWN", {{"encoding", std::to_string(encoding)}}});
}

grpc::Status MessageBroken() {
  return ToGrpc(MakeStatus(absl::StatusCode::kInvalidArgument,
                           "the request is not a message of this method"),
                Fault{"MESSAGE_BROKEN", {}});
}

grpc::Status StreamOutOfOrder(const char* why) {
  return ToGrpc(MakeStatus(absl::StatusCode::kInvalidArgument, why),
                Fault{"STREAM_OUT_OF_ORDER", {}});
}

namespace {

grpc::Status KeptWaiting(const char* reason, const std::string& what,
                         const std::string& limit_name, int64_t limit) {
  const std::string value = std::to_string(limit);
  return ToGrpc(MakeStatus(absl::StatusCode::kDeadlineExceeded,
                           what + limit_name + " = " + value),
                Fault{reason, {{"limit_name", limit_name}, {"limit", value}}});
}

}  // namespace

grpc::Status StreamIdle(int64_t seconds) {
  return KeptWaiting("STREAM_IDLE",
                     "the stream has been idle within a clip for more than ",
                     "stream_idle_seconds", seconds);
}

grpc::Status StreamIdleBetween(int64_t seconds) {
  return KeptWaiting("STREAM_IDLE",
                     "the stream has been idle between clips for more than ",
                     "stream_idle_between_seconds", seconds);
}

grpc::Status StreamSlow(int64_t bytes_per_second) {
  return KeptWaiting(
      "STREAM_SLOW",
      "upload too slow: over stream_idle_seconds less of a clip came than ",
      "min_upload_bytes_per_second", bytes_per_second);
}

}  // namespace bvhmill::server
