#pragma once

// Other readers of the same texts, to compare with.

#include <span>
#include <string_view>

namespace bvhmill::bench {

// The rows of MOTION by fast_float alone: no lines, no checks. Returns the
// number of values written, at most out.size().
size_t ReadRowsByFastFloat(std::string_view rows, std::span<float> out);

// The same by strtof. `rows` must end with a line end.
size_t ReadRowsByStrtof(std::string_view rows, std::span<float> out);

// True if this program was built with assimp.
bool HasAssimp();
// Frames of the BVH text as assimp's importer reads it; 0 if it does not.
double ReadByAssimp(std::string_view text);

}  // namespace bvhmill::bench
