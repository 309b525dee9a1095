#pragma once

// A pose of the source skeleton in the world. Private to anim/.

#include <cstdint>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// The frame number of the rest pose, in which all angles are 0.
inline constexpr int64_t kRestPoseFrame = -1;

// World rotations and places of all nodes, in the axes and units of the source.
struct SourcePose {
  std::vector<Quat<double>> turns;
  std::vector<Vec3<double>> places;
};

// Memory and units of work for each node of a pose, and units for each channel
// of the skeleton beyond six times its nodes.
inline constexpr int64_t kSourcePoseNodeBytes = 56;
inline constexpr int64_t kSourcePoseNodeUnits = 100;
inline constexpr int64_t kSourcePoseChannelUnits = 30;

// Solves `frame` of `clip`, or the rest pose, in which every node is at its
// OFFSET. `frame` is kRestPoseFrame or a frame of the clip. Values that are not
// finite count as 0. Reuses the memory of `pose`. Cost and memory: as above.
void SolveSourcePose(const Clip& clip, const Plan& plan, int64_t frame,
                     SourcePose* pose);

// `v` turned by the unit quaternion `q`.
Vec3<double> TurnVector(const Quat<double>& q, const Vec3<double>& v);

// The inverse of a unit quaternion.
Quat<double> Conjugate(const Quat<double>& q);

}  // namespace bvhmill
