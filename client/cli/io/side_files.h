#pragma once

// Files that the command line names for outputs beside those of the clips.

#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/io/inputs.h"

namespace bvhmill::client {

// An option and its value; "" names no file, "-" is stdout.
struct SideFile {
  std::string option;
  std::string path;
  // A file that it may replace though the command reads it; "" is none.
  std::string renews = {};
};

// Checks that no file takes the place of an input, of another file that the
// command reads (`read`), or of another file of `files`, also if outputs may be
// overwritten; and that at most one is stdout. INVALID_ARGUMENT
// "OPTION: PATH: why". Call before anything is written.
absl::Status CheckSideFiles(std::span<const SideFile> files,
                            const std::set<FileId>& read,
                            const std::vector<Input>& inputs);

// Checks that `file` has the name neither of an output of `inputs` with one of
// these extensions below `folder`, nor of the manifest of the folder.
// INVALID_ARGUMENT as above. O(inputs), without a look at their outputs.
absl::Status CheckIsNoOutput(const SideFile& file, const std::string& folder,
                             const std::vector<std::string>& extensions,
                             const std::vector<Input>& inputs);

}  // namespace bvhmill::client
