#pragma once

// A pose of reference that fades into the motion over the first frames of a
// clip. Private to validate/motion/.

#include <cstdint>

#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {

struct FadeIn {
  // The first frame of the motion; 0 if no joint takes part.
  int64_t frames = 0;
  // Joints that turn in each of these frames by more than 1 degree, and by more
  // than three times the largest step of the four frames after them.
  double joints = 0;
  // The longest way of such a joint, in degrees.
  double degrees = 0;
};

// The number of frames, two to four, in which the most joints take part.
// Requires the first block of a clip. O(joints).
FadeIn FindFadeIn(const MotionClip& clip, const MotionBlock& block);

}  // namespace bvhmill
