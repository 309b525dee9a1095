#pragma once

// Hashes that find equal clips.

#include <cstdint>
#include <string_view>

namespace bvhmill::client {

// XXH64 of `bytes` with the seed 0, by the specification of xxHash, version
// 0.1.1. It does not protect against forgery. O(bytes), several GB/s.
uint64_t Xxh64(std::string_view bytes);

// The rows of a BVH text: everything after the line that has "Frame Time",
// without blanks and line ends around it. Empty if there is no such line. A
// view into `text`.
std::string_view RowsOf(std::string_view text);

}  // namespace bvhmill::client
