#pragma once

// Which node of a clip drives which joint of the avatar, and how. Private to
// anim/.

#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/anim/avatar/avatar_limbs.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/avatar/reference_choice.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// A joint of the avatar and the node that drives it. Its rotation relative to
// its parent, in the axes of BVH, is before * steps * after, where the steps
// are those on the way from `base` to `node` (drive_steps.h). They are not kept
// here: the ways of all joints together may be many times as long as the
// skeleton.
struct DrivenJoint {
  int32_t avatar_joint = 0;
  int32_t node = 0;
  // The node that drives the next joint above that is driven; -1 if none does.
  int32_t base = -1;
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
  ReferenceChoice reference;
  // In the pose of reference.
  OddLimb odd_limb;
  // Lengths are scaled to the avatar, since the unit is not known and cannot be
  // an inch.
  bool guesses_scale = false;
  // Nodes that drive nothing, although they move or have a name.
  std::vector<int32_t> left_out;
};

// `clip` must have frames. Where two nodes drive the same joint the first does.
// Cost: about 100 ns a node and 50 ns a channel, and that of ChooseReference.
// Memory: 130 bytes a node, most of them until it returns.
AvatarDrive MakeAvatarDrive(const Clip& clip, const Plan& plan,
                            const ClipToAnimOptions& options);

// From the axes of BVH (X left, Y up, Z ahead) to those of the avatar.
template <typename Real>
Quat<Real> ToAvatarAxes(const Quat<Real>& q) {
  return {q.z, q.x, q.y, q.w};
}
template <typename Real>
Vec3<Real> ToAvatarAxes(const Vec3<Real>& v) {
  return {v[2], v[0], v[1]};
}

}  // namespace bvhmill
