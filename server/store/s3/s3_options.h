#pragma once

// The settings of an S3-compatible store of blobs: its address, its endpoint,
// and the keys that sign requests.
//
//   S3Options options;
//   options.address = "s3://BUCKET/PREFIX";
//   options.endpoint = "https://HOST:PORT";
//   S3Place place;
//   BVHMILL_RETURN_IF_ERROR(ReadS3Address(options.address, &place));
//
// No key is part of a message or of a log.

#include <cstdint>
#include <ctime>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace bvhmill::server {

struct S3Options {
  // s3://BUCKET or s3://BUCKET/PREFIX; empty = no such store.
  std::string address;
  // http://HOST:PORT or https://HOST:PORT; empty = the endpoint of AWS for the
  // region.
  std::string endpoint;
  std::string region = "us-east-1";
  // A PEM file of the authorities that may sign the certificate of the
  // endpoint; empty = those of the system.
  std::string ca_file;
  // A file with keys: see S3Credentials; empty = keys from the environment.
  std::string credentials_file;
  // A lookup marks a blob as used only if the last mark is older than this. So
  // used_ms of an entry is its mark plus this time.
  int64_t touch_after_ms = 0;
};

// The largest object that one request can store or copy. A copy marks a blob as
// used.
inline constexpr int64_t kMaxS3BlobBytes = int64_t{5} << 30;

// The place of the blobs in the store.
struct S3Place {
  std::string bucket;
  // Ends with a slash unless it is empty.
  std::string prefix;
};

// Reads s3://BUCKET/PREFIX. INVALID_ARGUMENT with the reason. A prefix consists
// of letters, digits, ".", "-", "_" and single slashes, since a URL and a
// signature encode these alike.
absl::Status ReadS3Address(const std::string& address, S3Place* place);

// The endpoint of `options`, with its default. INVALID_ARGUMENT.
absl::Status ReadS3Endpoint(const S3Options& options, std::string* endpoint);

// The keys that sign requests.
struct S3Keys {
  std::string id;
  std::string secret;
  // Empty = none.
  std::string token;
};

// Reads the keys from the text of a file: see S3Credentials. INVALID_ARGUMENT
// if the id or the secret is missing.
absl::Status ReadS3Keys(const std::string& text, S3Keys* keys);

// The current keys: from the environment (AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN), or from a file with the lines
//
//   aws_access_key_id = KEY
//   aws_secret_access_key = SECRET
//   aws_session_token = TOKEN
//
// The token is optional. In a file with profiles, only the lines of [default]
// count. Thread-safe.
class S3Credentials {
 public:
  // `file` empty = the environment.
  explicit S3Credentials(std::string file) : file_(std::move(file)) {}

  // Sets `keys` to the current keys. Reads a file again after a change, so that
  // an operator can replace keys while the server runs. FAILED_PRECONDITION,
  // S3_KEYS_MISSING.
  absl::Status Get(S3Keys* keys);

 private:
  absl::Status ReadFile();

  const std::string file_;
  std::mutex mutex_;
  // The keys of the file, and its time of change when they were read. Both
  // require the mutex.
  S3Keys keys_;
  timespec read_ = {};
};

}  // namespace bvhmill::server
