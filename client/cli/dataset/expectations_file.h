#pragma once

// Reads a file of expectations, which is TOML. docs/validate.md describes it.

#include <string>

#include "absl/status/statusor.h"
#include "bvhmill/base/cancel.h"
#include "client/cli/dataset/expectations.h"

namespace bvhmill::client {

// Reads the file `path`. An unknown key is an error, which names the nearest
// known key. INVALID_ARGUMENT "PATH:LINE:COLUMN: why", or "PATH: why" if the
// file cannot be read or has more than 1 MiB. Opens no other file.
absl::StatusOr<Expectations> ReadExpectations(const std::string& path,
                                              const CancelToken* cancel);

}  // namespace bvhmill::client
