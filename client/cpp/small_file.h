#pragma once

// Reads small files: certificates, keys and tokens. Private to the client
// library.

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace bvhmill::client {

// The content of the file at `path`. INVALID_ARGUMENT "cannot read PATH: why",
// also if the file has more than `max_bytes`. Memory: max_bytes + 1, also for a
// smaller file.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path,
                                          size_t max_bytes);

}  // namespace bvhmill::client
