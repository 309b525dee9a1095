#pragma once

// Which node of a clip drives which joint of the avatar, and how. Private to
// anim/.

#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/anim/avatar_limbs.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// A rotation about an axis (0, 1, 2) by the degrees of a column, times `sign`.
struct DriveStep {
  int32_t axis = 0;
  int32_t column = 0;
  float sign = 1;
};

// A joint of the avatar and the node that drives it. Its rotation relative to
// its parent, in the axes of BVH, is before * steps * after, the first step
// outermost.
struct DrivenJoint {
  int32_t avatar_joint = 0;
  int32_t node = 0;
  std::vector<DriveStep> steps;
  Quat<double> before;
  Quat<double> after;
};

struct AvatarDrive {
  // In the order of the avatar.
  std::vector<DrivenJoint> joints;
  // Index into `joints`; -1 if the pelvis is not driven.
  int32_t pelvis = -1;
  // The node's place in the world, when it is that of the avatar's pelvis.
  Vec3<double> pelvis_zero = {};
  // Turns the world so that the reference pose looks ahead.
  Quat<double> heading;
  double metres_per_unit = 1;
  // In the pose of reference.
  OddLimb odd_limb;
  // Nodes that drive nothing, although they move or have a name.
  std::vector<int32_t> left_out;
};

// `clip` must have frames. Where two nodes drive the same joint the first does.
AvatarDrive MakeAvatarDrive(const Clip& clip, const Plan& plan,
                            const ClipToAnimOptions& options);

// Index into Plan::steps of the step `i` of a node.
inline size_t StepIndex(const PlanNode& node, int32_t i) {
  return static_cast<size_t>(node.first_step) + static_cast<size_t>(i);
}

// From the axes of BVH (X left, Y up, Z ahead) to those of the avatar.
template <typename Real>
Quat<Real> ToAvatarAxes(const Quat<Real>& q) {
  return {q.z, q.x, q.y, q.w};
}
template <typename Real>
Vec3<Real> ToAvatarAxes(const Vec3<Real>& v) {
  return {v[2], v[0], v[1]};
}

// `v` turned by the unit quaternion `q`.
Vec3<double> TurnVector(const Quat<double>& q, const Vec3<double>& v);

}  // namespace bvhmill
