#pragma once

// Reads a file of expectations, which is TOML. docs/validate.md describes it.

#include <string>

#include "absl/status/statusor.h"
#include "client/cli/dataset/expectations.h"

namespace bvhmill::client {

// Reads the file `path`. A key that is not known is an error that names the
// nearest key that is. INVALID_ARGUMENT "PATH:LINE:COLUMN: why", or "PATH: why"
// if the file cannot be read. Opens no other file and takes at most 1 MiB.
absl::StatusOr<Expectations> ReadExpectations(const std::string& path);

}  // namespace bvhmill::client
