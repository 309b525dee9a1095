#pragma once

// What this build is. Filled in by CMake.

#include <string_view>

namespace bvhmill {

// Semantic version of the project, e.g. "0.1.0".
std::string_view Version();
// Short git commit of the source tree, or "unknown".
std::string_view GitCommit();
// Compiler and its version.
std::string_view Compiler();

}  // namespace bvhmill
