#pragma once

// Where arms and legs of a source point in its pose of reference, and where the
// avatar's do at rest. Private to anim/.

#include <cstdint>
#include <vector>

#include "bvhmill/math/linear.h"

namespace bvhmill {

// The pose of reference, as far as it concerns the avatar.
struct ReferencePose {
  // For each joint of the avatar the node that drives it, or -1.
  std::vector<int32_t> drivers;
  // Of the nodes in the world, in the axes and units of the source.
  std::vector<Vec3<double>> places;
  // Turns the avatar's world into that of the source.
  Quat<double> heading;
};

// The joint of the avatar at which an upper or lower arm or leg begins that
// points farthest away from the source's.
struct OddLimb {
  // -1: there is none that both have.
  int32_t avatar_joint = -1;
  double degrees = 0;
};
OddLimb FarthestLimb(const ReferencePose& pose);

// For each joint of the avatar the shortest turn, in its world at rest and in
// the axes of BVH, that brings its limb to where the source's points. Hands go
// with their forearms; all other joints stay.
std::vector<Quat<double>> LimbSwings(const ReferencePose& pose);

}  // namespace bvhmill
