#pragma once

// All limits on the cost of one clip. Each limit is checked before the memory
// it guards is taken. 0 means: no such limit.

#include <cstdint>

namespace bvhmill {

// One member for each row of limits.inc, which says what the limit bounds:
//
//   Limits limits;
//   limits.max_frames = 10'000;
struct Limits {
#define BVHMILL_CLIP_LIMIT(name, value, ...) int64_t name = value;
#include "bvhmill/base/limits.inc"

  bool operator==(const Limits&) const = default;
};

// True if `value` is above `limit`; false if there is no limit.
constexpr bool Exceeds(int64_t value, int64_t limit) {
  return limit > 0 && value > limit;
}

}  // namespace bvhmill
