#include "server/store/s3/s3_options.h"

#include <cctype>
#include <string_view>

#include "bvhmill/base/status.h"

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

// No name of a part of the prefix may be "." or "..": proxies take them away.
bool IsPrefix(const std::string& prefix) {
  const std::string around = "/" + prefix + "/";
  for (const char* const wrong : {"//", "/./", "/../"}) {
    if (around.find(wrong) != std::string::npos) return false;
  }
  return HasOnly(prefix, "/.-_");
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

}  // namespace bvhmill::server
