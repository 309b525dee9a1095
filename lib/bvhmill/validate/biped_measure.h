#pragma once

// Whether a skeleton is that of somebody with two legs and two arms, by its
// tree and its lengths alone: names differ, and rest poses may be any.

#include <array>
#include <optional>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct BipedMeasure {
  // Of the rest pose, which is what OFFSETs alone give, along X, Y and Z.
  std::array<double, 3> extent = {};
  // Along the bones, from where the legs part to the end of one.
  double leg = 0;
};

// A body has one root and ten joints or more. Where it first branches there are
// two limbs of one length, and further up another two. Nothing for all other
// skeletons. O(n log n).
std::optional<BipedMeasure> MeasureBiped(const Skeleton& skeleton);

// The longest of the extents.
double SizeOf(const BipedMeasure& body);

}  // namespace bvhmill
