#pragma once

// Finds the node of a clip that drives each joint of the avatar, and the
// rotations between the two. Private to anim/.

#include <cstdint>
#include <optional>
#include <vector>

#include "bvhmill/anim/avatar/avatar_limbs.h"
#include "bvhmill/anim/avatar/height_error.h"
#include "bvhmill/anim/avatar/missing_limb.h"
#include "bvhmill/anim/avatar/reference_choice.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// A joint of the avatar and the node that drives it. The rotation of the joint
// relative to its parent, in the axes of BVH, is
//
//   before * steps * after
//
// where the steps are the rotations on the path from `base` to `node`
// (drive_steps.h). Steps are not kept here: the paths of all joints together
// may be many times as long as the skeleton.
struct DrivenJoint {
  int32_t avatar_joint = 0;
  int32_t node = 0;
  // The node that drives the nearest driven joint above; -1 if there is none.
  int32_t base = -1;
  Quat<double> before;
  Quat<double> after;
};

struct AvatarDrive {
  // In the order of the avatar.
  std::vector<DrivenJoint> joints;
  // Index into `joints`; -1 if the pelvis is not driven.
  int32_t pelvis = -1;
  // The place of the node in the world that corresponds to the avatar's pelvis
  // at rest.
  Vec3<double> pelvis_zero = {};
  // Turns the world so that the reference pose faces ahead.
  Quat<double> heading;
  double metres_per_unit = 1;
  ReferenceChoice reference;
  // In the reference pose.
  OddLimb odd_limb;
  // Lengths are scaled to the avatar, because the unit is not known and cannot
  // be an inch.
  bool guesses_scale = false;
  std::optional<MissingLimb> missing_limb;
  std::optional<HeightError> height_error;
  // Nodes that drive no joint, although they move or have a name.
  std::vector<int32_t> left_out;
};

// Finds the drive of `clip`, which must have frames. If two nodes drive the
// same joint, the first one counts. Cost: about 100 ns for each node and 50 ns
// for each channel, and that of ChooseReference and FindHeightError. Memory:
// 170 bytes for each node, most of them until it returns.
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
