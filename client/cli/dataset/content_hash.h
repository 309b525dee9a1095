#pragma once

// Hashes that find equal clips.

#include <cstdint>
#include <optional>
#include <string_view>

namespace bvhmill::client {

// XXH64 of `bytes` with the seed 0, by the specification of xxHash, version
// 0.1.1. It does not protect against forgery. O(bytes), several GB/s.
uint64_t Xxh64(std::string_view bytes);

// A hash of the rows of MOTION of a BVH text: of all lines below the one that
// begins with "Frame Time", in any case. Line ends, empty lines, and blanks
// around a line do not count. None if there are fewer than two rows: the one
// row of a pose says too little. O(bytes), 8 bytes of memory for each row.
std::optional<uint64_t> HashRows(std::string_view text);

}  // namespace bvhmill::client
