#include "server/store/s3/s3_options.h"

#include <sys/stat.h>

#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "bvhmill/base/status.h"
#include "bvhmill/settings/small_file.h"

namespace bvhmill::server {
namespace {

constexpr std::string_view kScheme = "s3://";

absl::Status Invalid(const std::string& what, const std::string& why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, what + ": " + why);
}

bool HasOnly(std::string_view text, std::string_view others) {
  for (const char c : text) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (!is_word && others.find(c) == std::string_view::npos) return false;
  }
  return true;
}

// No part of the prefix may be "." or "..": proxies remove them.
bool IsPrefix(const std::string& prefix) {
  const std::string around = "/" + prefix + "/";
  for (const char* const wrong : {"//", "/./", "/../"}) {
    if (around.find(wrong) != std::string::npos) return false;
  }
  return HasOnly(prefix, "/.-_");
}

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

absl::Status KeysMissing(const std::string& why) {
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = "S3_KEYS_MISSING",
                        .message = why});
}

bool AreEqual(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

absl::Status ReadS3Address(const std::string& address, S3Place* place) {
  if (!address.starts_with(kScheme)) {
    return Invalid(address, "is not s3://BUCKET/PREFIX");
  }
  std::string rest = address.substr(kScheme.size());
  while (rest.ends_with('/')) rest.pop_back();
  const size_t slash = rest.find('/');
  place->bucket = rest.substr(0, slash);
  place->prefix = slash == std::string::npos ? "" : rest.substr(slash + 1);
  constexpr size_t kMinBucket = 3;
  if (place->bucket.size() < kMinBucket || !HasOnly(place->bucket, ".-_")) {
    return Invalid(address, "has no name of a bucket after s3://");
  }
  if (place->prefix.empty()) return absl::OkStatus();
  if (!IsPrefix(place->prefix)) {
    return Invalid(address,
                   "its prefix may have letters, digits, '.', '-', '_' and "
                   "single slashes only");
  }
  place->prefix += '/';
  return absl::OkStatus();
}

absl::Status ReadS3Endpoint(const S3Options& options, std::string* endpoint) {
  if (options.region.empty() || !HasOnly(options.region, "-_")) {
    return Invalid("--s3-region", "'" + options.region + "' is no region");
  }
  *endpoint = options.endpoint.empty()
                  ? "https://s3." + options.region + ".amazonaws.com"
                  : options.endpoint;
  while (endpoint->ends_with('/')) endpoint->pop_back();
  const size_t scheme = endpoint->find("://");
  const bool is_known =
      endpoint->starts_with("http://") || endpoint->starts_with("https://");
  if (!is_known || !HasOnly(endpoint->substr(scheme + 3), ".-:[]") ||
      endpoint->size() == scheme + 3) {
    return Invalid("--s3-endpoint", "'" + options.endpoint +
                                        "' is not http://HOST:PORT or "
                                        "https://HOST:PORT");
  }
  return absl::OkStatus();
}

absl::Status ReadS3Keys(const std::string& text, S3Keys* keys) {
  *keys = {};
  std::istringstream lines(text);
  bool counts = true;
  for (std::string line; std::getline(lines, line);) {
    line = Trimmed(line);
    if (line.starts_with('[')) counts = line == "[default]";
    const size_t equals = line.find('=');
    if (!counts || line.starts_with('#') || equals == std::string::npos) {
      continue;
    }
    const std::string name = Trimmed(line.substr(0, equals));
    const std::string value = Trimmed(line.substr(equals + 1));
    if (name == "aws_access_key_id") keys->id = value;
    if (name == "aws_secret_access_key") keys->secret = value;
    if (name == "aws_session_token") keys->token = value;
  }
  if (!keys->id.empty() && !keys->secret.empty()) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    "has no aws_access_key_id and aws_secret_access_key");
}

absl::Status S3Credentials::ReadFile() {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  // A pipe must not block: calls wait for the keys.
  CancelToken no_wait;
  no_wait.Cancel();
  const absl::StatusOr<std::string> text =
      ReadSmallFile(file_, kMaxBytes, &no_wait);
  if (!text.ok()) {
    return KeysMissing("cannot read the file of --s3-credentials");
  }
  const absl::Status read = ReadS3Keys(*text, &keys_);
  if (read.ok()) return absl::OkStatus();
  return KeysMissing("the file of --s3-credentials " +
                     std::string(MessageOf(read)));
}

absl::Status S3Credentials::Get(S3Keys* keys) {
  const std::lock_guard lock(mutex_);
  if (file_.empty()) {
    *keys = {Variable("AWS_ACCESS_KEY_ID"), Variable("AWS_SECRET_ACCESS_KEY"),
             Variable("AWS_SESSION_TOKEN")};
    return !keys->id.empty() && !keys->secret.empty()
               ? absl::OkStatus()
               : KeysMissing(
                     "--blobs needs keys: set AWS_ACCESS_KEY_ID and "
                     "AWS_SECRET_ACCESS_KEY, or give --s3-credentials");
  }
  struct stat found = {};
  if (stat(file_.c_str(), &found) != 0) {
    return KeysMissing("cannot read the file of --s3-credentials");
  }
  if (!AreEqual(found.st_mtim, read_)) {
    BVHMILL_RETURN_IF_ERROR(ReadFile());
    read_ = found.st_mtim;
  }
  *keys = keys_;
  return absl::OkStatus();
}

}  // namespace bvhmill::server
