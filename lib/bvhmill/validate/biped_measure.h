#pragma once

// Decides whether a skeleton has two legs and two arms, and measures it. Uses
// the tree and the lengths only: names of joints differ from file to file, and
// any pose may be the rest pose.

#include <array>
#include <cstdint>
#include <optional>

#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

// Two limbs of about equal length.
struct LimbPair {
  // The joint where they branch off; -1 if there is no pair.
  int32_t parent = -1;
  // The first joint of each.
  std::array<int32_t, 2> tops = {-1, -1};
};

struct BipedMeasure {
  // Size of the rest pose along X, Y and Z. The rest pose is given by the
  // OFFSETs alone.
  std::array<double, 3> extent = {};
  // Length of the longer leg along its bones, from the joint where the legs
  // branch off to the end of the leg. In the unit of the clip, like `extent`.
  double leg = 0;
  LimbPair legs;
  LimbPair arms;
  // The arms end as low as the legs: it stands on four of them.
  bool has_four_legs = false;
};

// Measures a body; returns nullopt for any other skeleton. A body has one root
// and at least ten joints. At its first branch it has a pair of limbs of about
// equal length, the legs; another branch leads to another pair, the arms. The
// length of the longer leg is 0.3 to 0.9 of SizeOf. O(n log n).
std::optional<BipedMeasure> MeasureBiped(const Skeleton& skeleton);

// The largest of the three extents.
double SizeOf(const BipedMeasure& body);

}  // namespace bvhmill
