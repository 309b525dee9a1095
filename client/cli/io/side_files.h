#pragma once

// Files that the command line names for outputs beside those of the clips.

#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/io/inputs.h"

namespace bvhmill::client {

// An option and its value; "" and "-" name no file.
struct SideFile {
  std::string option;
  std::string path;
};

// Checks that no file takes the place of an input, of the list of inputs, or of
// another file of `files`, also if outputs may be overwritten. INVALID_ARGUMENT
// "OPTION: PATH: why". Call before anything is written.
absl::Status CheckSideFiles(std::span<const SideFile> files,
                            const InputOptions& options,
                            const std::vector<Input>& inputs);

}  // namespace bvhmill::client
