#pragma once

// The place of an S3-compatible store of blobs, as its operator states it.

#include <cstdint>
#include <string>

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
  // File with keys, see s3_credentials.h; empty = the environment has them.
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

}  // namespace bvhmill::server
