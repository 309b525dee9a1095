#pragma once

// The place of an S3-compatible store of blobs, as its operator states it.

#include <cstdint>
#include <ctime>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace bvhmill::server {

struct S3Options {
  // s3://BUCKET or s3://BUCKET/PREFIX; empty = blobs are not in such a store.
  std::string address;
  // http://HOST:PORT or https://HOST:PORT; empty = the one of AWS for the
  // region.
  std::string endpoint;
  std::string region = "us-east-1";
  // PEM file of the authorities that may sign the certificate of the endpoint;
  // empty = those of the system.
  std::string ca_file;
  // File with keys: see S3Credentials; empty = the environment has them.
  std::string credentials_file;
  // A blob that is asked for is marked as used only if its last use is longer
  // ago than this. So used_ms of an entry adds this time to the mark.
  int64_t touch_after_ms = 0;
};

// The largest object that S3 copies at once. A copy marks a blob as used.
inline constexpr int64_t kMaxS3BlobBytes = int64_t{5} << 30;

struct S3Place {
  std::string bucket;
  // Ends with a slash unless it is empty.
  std::string prefix;
};

// Reads s3://BUCKET/PREFIX. INVALID_ARGUMENT with the reason. A prefix has only
// letters, digits, ".", "-", "_" and single slashes within it, since these are
// the same in an address and in a signature.
absl::Status ReadS3Address(const std::string& address, S3Place* place);

// The endpoint of `options`, with its default. INVALID_ARGUMENT.
absl::Status ReadS3Endpoint(const S3Options& options, std::string* endpoint);

// Keys of an S3-compatible store: from the environment (AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN), or from a file with the lines
//
//   aws_access_key_id = KEY
//   aws_secret_access_key = SECRET
//   aws_session_token = TOKEN
//
// The last of these may be missing. In a file with profiles, only the lines of
// [default] count. No key is ever part of a message or of a log.

struct S3Keys {
  std::string id;
  std::string secret;
  // Empty = none.
  std::string token;
};

// Reads the keys from the text of such a file. INVALID_ARGUMENT if the id or
// the secret is missing.
absl::Status ReadS3Keys(const std::string& text, S3Keys* keys);

// Thread-safe.
class S3Credentials {
 public:
  // `file` empty = the environment.
  explicit S3Credentials(std::string file) : file_(std::move(file)) {}

  // Returns the current keys. A file that has changed is read again, so keys
  // can be replaced while the server runs. FAILED_PRECONDITION,
  // S3_KEYS_MISSING.
  absl::Status Get(S3Keys* keys);

 private:
  absl::Status ReadFile();

  const std::string file_;
  std::mutex mutex_;
  S3Keys keys_;
  timespec read_ = {};
};

}  // namespace bvhmill::server
