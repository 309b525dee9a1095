#pragma once

// Reads small files as a whole: settings, tokens, certificates, lists. A file
// that is too large, or cannot be read to its end, is an error.

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "bvhmill/base/cancel.h"

namespace bvhmill {

// The content of the file at `path`. INVALID_ARGUMENT "cannot read PATH: why",
// also if the file has more than `max_bytes`.
//
// Waits for the bytes of a pipe until `cancel` is cancelled: CANCELLED. A token
// that was cancelled before gives only the bytes that are there; null waits
// without end. Memory: twice the content, and twice max_bytes at most.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path,
                                          size_t max_bytes,
                                          const CancelToken* cancel);

// The same for a file that is open; messages call it `name`.
absl::StatusOr<std::string> ReadSmallFile(int fd, const std::string& name,
                                          size_t max_bytes,
                                          const CancelToken* cancel);

}  // namespace bvhmill
