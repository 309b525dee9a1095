#pragma once

// The program bvhmill as a process.

#include <string>
#include <vector>

namespace bvhmill::testing {

struct CommandResult {
  // -1 if it did not end by itself.
  int exit = -1;
  std::string out;
  std::string err;
};

// Runs `bvhmill WORDS` in `folder`, with the variables "NAME=VALUE" and no
// others of ours in its environment. Kills it after a minute.
CommandResult RunCommand(const std::vector<std::string>& words,
                         const std::string& folder,
                         const std::vector<std::string>& variables = {});

}  // namespace bvhmill::testing
