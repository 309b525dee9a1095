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
// Waits for the bytes of a pipe until `cancel` is cancelled: CANCELLED. If the
// token is cancelled before the call, reads only bytes that are there already;
// null waits without end. Memory: twice the content, at most twice max_bytes.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path,
                                          size_t max_bytes,
                                          const CancelToken* cancel);

// The same for an open file; messages call it `name`.
absl::StatusOr<std::string> ReadSmallFile(int fd, const std::string& name,
                                          size_t max_bytes,
                                          const CancelToken* cancel);

}  // namespace bvhmill
