#include "server/rpc/errors.h"

#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"

namespace bvhmill::server {
namespace {

using Code = absl::StatusCode;

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

// DEADLINE_EXCEEDED: the server waited for a peer longer than a limit allows.
absl::Status KeptWaiting(const char* reason, std::string message,
                         const std::string& limit_name, int64_t limit) {
  return MakeCallError({.code = Code::kDeadlineExceeded,
                        .reason = reason,
                        .limit_name = limit_name,
                        .limit = limit,
                        .message = std::move(message)});
}

}  // namespace

absl::Status LimitExceeded(std::string_view limit_name, int64_t limit,
                           int64_t value) {
  const std::string name(limit_name);
  const std::string number = std::to_string(value);
  return MakeCallError(
      {.code = Code::kResourceExhausted,
       .reason = "LIMIT_EXCEEDED",
       .limit_name = name,
       .limit = limit,
       .args = {{"value", number}},
       .message = number + " exceeds " + name + " = " + std::to_string(limit)});
}

absl::Status ServerBusy(std::string_view limit_name, int64_t limit,
                        int64_t value) {
  const std::string name(limit_name);
  const std::string number = std::to_string(value);
  return MakeCallError(
      {.code = Code::kResourceExhausted,
       .reason = "SERVER_BUSY",
       .limit_name = name,
       .limit = limit,
       .args = {{"value", number}, {"retry_after_ms", "1000"}},
       .message = number + " exceed " + name + " = " + std::to_string(limit)});
}

absl::Status TokenUnknown() {
  return MakeCallError({.code = Code::kUnauthenticated,
                        .reason = "TOKEN_UNKNOWN",
                        .message = "the call needs a bearer token that this "
                                   "server knows"});
}

absl::Status ScopeMissing(std::string_view caller, std::string_view method,
                          Scope scope) {
  const std::string name(caller);
  return MakeCallError(
      {.code = Code::kPermissionDenied,
       .reason = "SCOPE_MISSING",
       .args = {{"token", name},
                {"scope", NameOf(scope)},
                {"resource_type", "method"},
                {"resource_name", std::string(method)}},
       .message = "the token " + name + " lacks the scope " + NameOf(scope)});
}

absl::Status OutOfMemory() {
  static const auto* const kStatus = new absl::Status(
      MakeCallError({.code = Code::kResourceExhausted,
                     .reason = "SERVER_BUSY",
                     .args = {{"retry_after_ms", "1000"}},
                     .message = "the server has no memory for the call"}));
  return *kStatus;
}

absl::Status InternalFault() {
  return MakeCallError({.code = Code::kInternal,
                        .reason = "SERVER_FAULT",
                        .message = "the server failed; its log may say why"});
}

absl::Status Stopping() {
  return MakeCallError(
      {.code = Code::kUnavailable,
       .reason = "SERVER_STOPPING",
       .args = {{"retry_after_ms", "1000"}},
       .message = "the server is stopping; try another server"});
}

absl::Status MethodUnknown(std::string_view method) {
  return MakeCallError({.code = Code::kUnimplemented,
                        .reason = "METHOD_UNKNOWN",
                        .message = "there is no method " + Excerpt(method)});
}

absl::Status UnknownEncoding(int encoding) {
  const std::string number = std::to_string(encoding);
  return MakeCallError({.code = Code::kUnimplemented,
                        .reason = "ENCODING_UNKNOWN",
                        .field = "source.encoding",
                        .args = {{"encoding", number}},
                        .message = "this server cannot decode " + number +
                                   "; see GetServerInfo.encodings"});
}

absl::Status UnknownSourceFormat(int format) {
  const std::string number = std::to_string(format);
  return MakeCallError({.code = Code::kUnimplemented,
                        .reason = "SOURCE_FORMAT_UNKNOWN",
                        .field = "source.format",
                        .args = {{"format", number}},
                        .message = "this server cannot read " + number +
                                   "; see GetServerInfo.source_formats"});
}

absl::Status MessageBroken() {
  return MakeCallError({.code = Code::kInvalidArgument,
                        .reason = "MESSAGE_BROKEN",
                        .message =
                            "the bytes are not a request of this method, whose "
                            "texts are UTF-8"});
}

absl::Status StreamOutOfOrder(const char* why) {
  return MakeCallError({.code = Code::kInvalidArgument,
                        .reason = "STREAM_OUT_OF_ORDER",
                        .message = why});
}

absl::Status RequestSlow(int64_t seconds) {
  return KeptWaiting(
      "REQUEST_SLOW",
      "the request did not arrive within max_request_seconds = " +
          std::to_string(seconds),
      "max_request_seconds", seconds);
}

absl::Status StreamIdle(int64_t seconds) {
  return KeptWaiting("STREAM_IDLE",
                     "the stream was idle within a clip for more than "
                     "idle_seconds = " +
                         std::to_string(seconds),
                     "idle_seconds", seconds);
}

absl::Status StreamIdleBetween(int64_t seconds) {
  return KeptWaiting("STREAM_IDLE",
                     "the stream was idle between clips for more than "
                     "idle_between_seconds = " +
                         std::to_string(seconds),
                     "idle_between_seconds", seconds);
}

absl::Status StreamSlow(int64_t bytes_per_second) {
  return KeptWaiting("STREAM_SLOW",
                     "upload too slow: less than "
                     "min_upload_bytes_per_second = " +
                         std::to_string(bytes_per_second) +
                         " over idle_seconds",
                     "min_upload_bytes_per_second", bytes_per_second);
}

}  // namespace bvhmill::server
