#pragma once

// Looks for values that are not finite.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace bvhmill {

// True if all `values` are finite. O(n), without branches, so that compilers
// turn it into vectors.
inline bool AreFinite(std::span<const float> values) {
  // Bits of positive floats are in the order of the floats, and all values that
  // are not finite come last.
  constexpr uint32_t kWithoutSign = 0x7FFFFFFF;
  constexpr uint32_t kInfinity = 0x7F800000;
  uint32_t largest = 0;
  for (const float value : values) {
    largest = std::max(largest, std::bit_cast<uint32_t>(value) & kWithoutSign);
  }
  return largest < kInfinity;
}

}  // namespace bvhmill
