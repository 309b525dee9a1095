#pragma once

// Joints that are mirror images of each other, by their names.

#include <cstdint>
#include <vector>

#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

struct MirrorPair {
  int32_t left = 0;
  int32_t right = 0;
};

// The pairs of joints whose names differ in the side alone, in the order of the
// left ones:
//
//   LeftArm, RightArm    left_arm, right_arm    lArm, rArm
//   L_Arm, R_Arm         Arm_L, Arm_R           Arm.l, Arm.r
//   lfoot, rfoot
//
// After each pair comes the pair of their first end sites, if both have one. If
// several joints have one name, only the first of them counts. O(n log n).
std::vector<MirrorPair> FindMirrorPairs(const Skeleton& skeleton);

}  // namespace bvhmill
