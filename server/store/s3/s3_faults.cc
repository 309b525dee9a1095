#include "server/store/s3/s3_faults.h"

#include <algorithm>
#include <string_view>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

constexpr int kRequestTimeout = 408;
constexpr int kTooManyRequests = 429;
constexpr int kNoStorage = 507;

constexpr std::string_view kFull[] = {"QuotaExceeded", "InsufficientStorage",
                                      "XMinioStorageFull",
                                      "InsufficientCapacity"};
constexpr std::string_view kLost[] = {"NoSuchUpload", "InvalidPart",
                                      "InvalidPartOrder", "EntityTooSmall"};
// The store is busy, or bytes were lost or damaged on their way.
constexpr std::string_view kRepeat[] = {
    "SlowDown",         "InternalError",  "ServiceUnavailable",
    "RequestTimeout",   "IncompleteBody", "XAmzContentSHA256Mismatch",
    "OperationAborted", "BadDigest",      "ConcurrentModification",
    "TooManyRequests",
};

template <size_t kSize>
bool IsOneOf(const std::string_view (&all)[kSize], const std::string& code) {
  return std::find(std::begin(all), std::end(all), code) != std::end(all);
}

absl::Status Precondition(const char* reason, const std::string& message) {
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = reason,
                        .message = message});
}

std::string Described(int http_status, const std::string& code) {
  return "HTTP " + std::to_string(http_status) +
         (code.empty() ? "" : ", " + code);
}

absl::Status RefusedBy(const std::string& code, const std::string& described) {
  if (code == "InvalidAccessKeyId" || code == "SignatureDoesNotMatch") {
    return Precondition("S3_REFUSED",
                        "the store of blobs does not take the keys of the "
                        "server (" +
                            described + ")");
  }
  if (code == "RequestTimeTooSkewed") {
    return Precondition("S3_REFUSED",
                        "the clocks of the server and of the store of blobs "
                        "differ by too much (" +
                            described + ")");
  }
  return Precondition("S3_REFUSED",
                      "the store of blobs refuses the server (" + described +
                          "): its keys may be wrong or lack a right");
}

}  // namespace

absl::Status BlobsUnavailable(const std::string& why) {
  return MakeCallError({.code = absl::StatusCode::kUnavailable,
                        .reason = "BLOBS_UNAVAILABLE",
                        .args = {{"retry_after_ms", "1000"}},
                        .message = why});
}

absl::Status StatusOfAnswer(int http_status, const std::string& code) {
  const std::string described = Described(http_status, code);
  if (code.empty() && http_status >= 200 && http_status < 300) {
    return absl::OkStatus();
  }
  if (code == "NoSuchBucket") {
    return Precondition("S3_BUCKET_MISSING",
                        "the store of blobs has no such bucket");
  }
  if (IsOneOf(kLost, code)) {
    return MakeCallError({.code = absl::StatusCode::kAborted,
                          .reason = "S3_UPLOAD_LOST",
                          .message = "the upload of parts is gone"});
  }
  if (IsOneOf(kFull, code) || http_status == kNoStorage) {
    return MakeCallError({.code = absl::StatusCode::kResourceExhausted,
                          .reason = "DISK_FULL",
                          .args = {{"retry_after_ms", "30000"}},
                          .message = "the store of blobs is full"});
  }
  if (MayRepeat(http_status, code)) {
    return BlobsUnavailable("the store of blobs cannot answer now (" +
                            described + ")");
  }
  if (http_status == 404) return MakeStatus(absl::StatusCode::kNotFound, "");
  if (http_status == 416) return MakeStatus(absl::StatusCode::kOutOfRange, "");
  if (http_status == 401 || http_status == 403) {
    return RefusedBy(code, described);
  }
  return MakeCallError(
      {.code = absl::StatusCode::kInternal,
       .reason = "STORE_FAULT",
       .message =
           "the server cannot use the store of blobs (" + described + ")"});
}

// The text of libcurl for a code names no host.
absl::Status StatusOfTransfer(CURLcode code) {
  const std::string why = curl_easy_strerror(code);
  if (MayRepeat(code)) {
    return BlobsUnavailable("the store of blobs does not answer (" + why + ")");
  }
  return MakeCallError(
      {.code = absl::StatusCode::kInternal,
       .reason = "STORE_FAULT",
       .message = "the server cannot use the store of blobs (" + why + ")"});
}

bool MayRepeat(int http_status, const std::string& code) {
  if (http_status == kNoStorage) return false;
  return http_status >= 500 || http_status == kTooManyRequests ||
         http_status == kRequestTimeout || IsOneOf(kRepeat, code);
}

bool MayRepeat(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

absl::Status ForCallers(const absl::Status& status) {
  return absl::IsFailedPrecondition(status)
             ? BlobsUnavailable(std::string(MessageOf(status)))
             : status;
}

}  // namespace bvhmill::server
