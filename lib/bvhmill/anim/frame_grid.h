#pragma once

// Finds the frames at which an .anim motion is sampled. Private to anim/.

#include <cstdint>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/budget.h"

namespace bvhmill {

// The number of equal steps in the duration such that each key is at a step.
struct FrameGrid {
  int64_t steps = 1;
  // All keys are at the start.
  bool is_pose = false;
};

// Finds the grid of `rate` frames per second or, if `rate` is 0, the coarsest
// grid of 20 to 120 frames per second at which every key is at a step; 30 if
// there is none. REQUIRES: the duration is at most kMaxAnimSeconds, and `rate`
// at most 240. Fails only if `budget`, which may be null, grants no more work.
// Cost: a few nanoseconds for each rate and each different time of a key, until
// a time is not at a step.
absl::Status FindFrameGrid(const AnimMotion& motion, double rate,
                           Budget* budget, FrameGrid* grid);

}  // namespace bvhmill
