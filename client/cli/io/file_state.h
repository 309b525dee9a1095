#pragma once

// Detects whether a file has changed since an earlier time.

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"

namespace bvhmill::client {

// A regular file at one moment.
struct FileState {
  // Absolute, links followed.
  std::string path;
  int64_t size = 0;
  // Nanoseconds since 1970. `changed` is 0 if the last change is so recent that
  // another change could get the same time.
  int64_t modified = 0;
  int64_t changed = 0;
  // Hexadecimal; empty until it is computed.
  std::string sha256;
};

// The nanoseconds since 1970 of a time such as st_mtim.
int64_t NanosecondsOf(const timespec& time);

// The state of the file `path`, without its digest. Nothing if it is no regular
// file.
std::optional<FileState> StateOfFile(const std::string& path);

// Computes the digest; reads the whole file. FAILED_PRECONDITION if the file
// cannot be read, or is not as it was when `state` was taken. CANCELLED.
absl::Status AddDigest(const CancelToken* cancel, FileState* state);

// FAILED_PRECONDITION if the size or the times of the file are not those of
// `state`.
absl::Status CheckUnchanged(const FileState& state);

// Sets `is_same` to true if the file of `now` has the bytes that the file of
// `then` had. Size and times decide if they are equal; otherwise the digests,
// of which now->sha256 is computed if `then` has one. A file that cannot be
// read is not the same. The only error is CANCELLED.
absl::Status HasSameBytes(const FileState& then, const CancelToken* cancel,
                          FileState* now, bool* is_same);

}  // namespace bvhmill::client
