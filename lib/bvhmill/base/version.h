#pragma once

// The version of this build. CMake generates the definitions.

#include <string_view>

namespace bvhmill {

// Semantic version of the project, e.g. "0.1.0".
std::string_view Version();
// Short git commit of the source tree, or "unknown".
std::string_view GitCommit();
// Name and version of the compiler.
std::string_view Compiler();

}  // namespace bvhmill
