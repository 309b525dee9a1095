#pragma once

// How the nodes of a clip drive the joints of the avatar, and the curves that
// result for these joints. Only the fit of keys (anim/fit) uses the curves.
//
// A node drives a joint if the joint turns in the world, from its rotation at
// rest, as the node turns from its rotation in the reference pose. The
// reference pose is the pose of the source that corresponds to the avatar at
// rest (reference.h). Forward is Z in the axes of BVH, and X in those of the
// avatar.
//
//   const AvatarDrive drive = MakeAvatarDrive(clip, plan, options);
//   for (const DrivenJoint& joint : drive.joints) {
//     SetSteps(plan, FindPath(plan, joint.base, joint.node), &steps);
//     FillRotation(frames, joint, steps, &curve, &work);
//   }

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bvhmill/anim/avatar/limbs.h"
#include "bvhmill/anim/avatar/reference.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// A joint of the avatar, and the node that drives it. The rotation of the joint
// relative to its parent, in the axes of BVH, is
//
//   before * steps * after
//
// `before` and `after` are the same in all frames; the steps are the rotations
// on the path from `base` to `node`. FindPath and SetSteps find them when they
// are needed: the paths of all joints together may be many times as long as the
// skeleton.
struct DrivenJoint {
  int32_t avatar_joint = 0;
  int32_t node = 0;
  // The node that drives the nearest driven ancestor of the joint; -1 if there
  // is none.
  int32_t base = -1;
  Quat<double> before;
  Quat<double> after;
};

struct AvatarDrive {
  // In the order of the avatar.
  std::vector<DrivenJoint> joints;
  // Index into `joints`; -1 if the pelvis is not driven.
  int32_t pelvis = -1;
  // The world position of the pelvis node that maps to the avatar's pelvis at
  // rest, in units of the clip.
  Vec3<double> pelvis_zero = {};
  // The rotation about Y from forward to the direction that the source faces
  // in the reference pose (see align_heading). The curves undo it.
  Quat<double> heading;
  double metres_per_unit = 1;
  ReferenceChoice reference;
  // The limb whose direction in the reference pose differs most from the
  // avatar's at rest.
  OddLimb odd_limb;
  // True: lengths are scaled to the avatar, because the unit is not known, and
  // with inches the hips would be too high or too low for a person.
  bool guesses_scale = false;
  std::optional<MissingLimb> missing_limb;
  std::optional<HeightError> height_error;
  // Nodes, except end sites, that drive no joint.
  std::vector<int32_t> left_out;
};

// Finds which nodes of `clip`, which must have frames, drive which joints, and
// how. If two nodes name the same joint, the first one drives it. Cost: about
// 100 ns for each node and 50 ns for each channel, and that of ChooseReference
// and FindHeightError. Memory: 170 bytes for each node, most of them until it
// returns.
AvatarDrive MakeAvatarDrive(const Clip& clip, const Plan& plan,
                            const ClipToAnimOptions& options);

// The path from one node to another.

// A rotation about an axis (0, 1, 2) by the degrees of a column, times `sign`.
struct DriveStep {
  int32_t axis = 0;
  int32_t column = 0;
  float sign = 1;
};

// The path in the tree of nodes from `base` up to `above`, the lowest common
// ancestor of `base` and `node`, and down to `node`.
struct DrivePath {
  // -1 stands for the world, which is the ancestor of every root.
  int32_t base = -1;
  int32_t above = -1;
  int32_t node = -1;
  // The nodes on the path, except `above`, and the rotations of these nodes.
  int64_t nodes = 0;
  int64_t steps = 0;
};

// Finds the path from `base`, which may be -1, to `node`. Cost: O(nodes on the
// path), about 3 ns each.
DrivePath FindPath(const Plan& plan, int32_t base, int32_t node);

// Sets `steps` to the rotations whose product, in this order, is the rotation
// of path.node relative to path.base. Cost: O(path.nodes + path.steps), about 3
// ns each. Memory: exactly path.steps entries, unless `steps` has more already.
void SetSteps(const Plan& plan, const DrivePath& path,
              std::vector<DriveStep>* steps);

// Index into Plan::steps of rotation `i` of a node.
inline size_t StepIndex(const PlanNode& node, int32_t i) {
  return static_cast<size_t>(node.first_step) + static_cast<size_t>(i);
}

// The curves of joints over all frames, in arrays.

using FloatArray = UninitializedVector<float>;

// Rotations are x, y, z, w of unit quaternions with w >= 0; positions are x, y,
// z in metres; both in the axes of the avatar. All arrays have one entry for
// each played frame.
struct RotationCurve {
  std::array<FloatArray, 4> q;
};
struct PositionCurve {
  std::array<FloatArray, 3> p;
};

// The frames of a clip that are played: `count` frames from `first` on.
struct PlayedFrames {
  const Clip* clip = nullptr;
  const Plan* plan = nullptr;
  int64_t first = 0;
  int64_t count = 0;
};

// The following functions draw work in units of a nanosecond. Angles beyond
// kMaxSinCosDegrees are slow to reduce: a block of 256 frames with such an
// angle costs 200 more units for each of its angles. If the budget of `work`
// refuses, the functions return early, and the curve must not be used.

// Fills `curve` with the rotation of a driven joint relative to its parent.
// `steps` are the rotations on its path. Replaces a value that is not finite by
// the one before it (0 at the beginning), and returns the number of values that
// were replaced. Cost: 8 units for each frame, and 4 for each step and frame.
// Memory: 16 bytes for each frame, and 4 for each step until it returns.
int64_t FillRotation(const PlayedFrames& frames, const DrivenJoint& joint,
                     std::span<const DriveStep> steps, RotationCurve* curve,
                     WorkMeter* work);

// Fills `curve` with the position of the pelvis relative to its place at rest.
// Requires that the pelvis is driven. Returns the number of values that were
// replaced, as FillRotation does. Cost for each frame: 8 units, 8 for the
// pelvis node and each of its ancestors, and 4 for each rotation of these
// ancestors. Memory: 12 bytes for each frame, and 80 for each node until it
// returns.
int64_t FillPelvisPosition(const PlayedFrames& frames, const AvatarDrive& drive,
                           PositionCurve* curve, WorkMeter* work);

// Fills `curve` with the position of `joint`, whose node has position channels,
// relative to its parent: the position of the avatar's joint at rest, plus the
// difference of the node's position from its OFFSET. Returns the number of
// values that were replaced, as FillRotation does. Cost: 16 units for each
// frame. Memory: 12 bytes for each frame.
int64_t FillJointPosition(const PlayedFrames& frames, const AvatarDrive& drive,
                          const DrivenJoint& joint, PositionCurve* curve,
                          WorkMeter* work);

// From the axes of BVH (X left, Y up, Z forward) to those of the avatar (X
// forward, Y left, Z up).
template <typename Real>
Quat<Real> ToAvatarAxes(const Quat<Real>& q) {
  return {q.z, q.x, q.y, q.w};
}
template <typename Real>
Vec3<Real> ToAvatarAxes(const Vec3<Real>& v) {
  return {v[2], v[0], v[1]};
}

}  // namespace bvhmill
