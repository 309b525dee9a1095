#pragma once

// Keys of an S3-compatible store: from the environment (AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN), or from a file with the lines
//
//   aws_access_key_id = KEY
//   aws_secret_access_key = SECRET
//   aws_session_token = TOKEN
//
// The last of these may be missing. In a file with profiles, only the lines of
// [default] count. No key is ever part of a message or of a log.

#include <ctime>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace bvhmill::server {

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
