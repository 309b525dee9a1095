#pragma once

// How the nodes of a clip drive the joints of the avatar, and the curves that
// result for these joints. Only the fit of keys (anim/fit) uses the curves.
//
//   const AvatarDrive drive = MakeAvatarDrive(clip, plan, options);
//   for (const DrivenJoint& joint : drive.joints) {
//     SetSteps(plan, FindWay(plan, joint.base, joint.node), &steps);
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
// where the steps are the rotations on the path from `base` to `node`. FindWay
// and SetSteps find them when they are needed: the paths of all joints together
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
  // The farthest limb in the reference pose.
  OddLimb odd_limb;
  // True: lengths are scaled to the avatar, because the unit is not known and
  // cannot be an inch.
  bool guesses_scale = false;
  std::optional<MissingLimb> missing_limb;
  std::optional<HeightError> height_error;
  // Nodes, except end sites, that drive no joint.
  std::vector<int32_t> left_out;
};

// Finds the drive of `clip`, which must have frames. If two nodes drive the
// same joint, the first one counts. Cost: about 100 ns for each node and 50 ns
// for each channel, and that of ChooseReference and FindHeightError. Memory:
// 170 bytes for each node, most of them until it returns.
AvatarDrive MakeAvatarDrive(const Clip& clip, const Plan& plan,
                            const ClipToAnimOptions& options);

// The path from one node to another.

// A rotation about an axis (0, 1, 2) by the degrees of a column, times `sign`.
struct DriveStep {
  int32_t axis = 0;
  int32_t column = 0;
  float sign = 1;
};

// The path from the node `base` up to `above`, its lowest common ancestor with
// `node`, and down to `node`.
struct DriveWay {
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
DriveWay FindWay(const Plan& plan, int32_t base, int32_t node);

// Sets `steps` to the rotations that lead from way.base to way.node, outermost
// first. Cost: O(way.nodes + way.steps), about 3 ns each. Memory: exactly
// way.steps entries, unless `steps` has more already.
void SetSteps(const Plan& plan, const DriveWay& way,
              std::vector<DriveStep>* steps);

// Index into Plan::steps of rotation `i` of a node.
inline size_t StepIndex(const PlanNode& node, int32_t i) {
  return static_cast<size_t>(node.first_step) + static_cast<size_t>(i);
}

// The curves of joints over all frames, in arrays.

using FloatArray = UninitializedVector<float>;

// Rotations are x, y, z, w of unit quaternions with w >= 0; positions are x, y,
// z in metres; both in the axes of the avatar. All arrays have one entry for
// each frame of the curve.
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
// angle costs 200 more units for each of its angles. If `work` refuses, the
// functions return early, and the curve must not be used.

// Fills `curve` with the rotation of a driven joint relative to its parent.
// `steps` are the rotations on its path. Replaces a value that is not finite by
// the one before it (0 at the beginning), and returns the number of such
// values. Cost: 8 units for each frame, and 4 for each step and frame. Memory:
// 16 bytes for each frame, and 4 for each step until it returns.
int64_t FillRotation(const PlayedFrames& frames, const DrivenJoint& joint,
                     std::span<const DriveStep> steps, RotationCurve* curve,
                     WorkMeter* work);

// Fills `curve` with the position of the pelvis relative to its place at rest.
// REQUIRES: the drive has a pelvis. Returns the same as FillRotation. Cost for
// each frame: 8 units, 8 for the pelvis and each node above it, and 4 for each
// rotation of the nodes above. Memory: 12 bytes for each frame, and 80 for each
// node until it returns.
int64_t FillPelvisPosition(const PlayedFrames& frames, const AvatarDrive& drive,
                           PositionCurve* curve, WorkMeter* work);

// Fills `curve` with the position of `joint`, which has position channels, in
// its parent: the avatar's position at rest, plus the difference of the source
// from its OFFSET. Returns the same as FillRotation. Cost: kCurveFrameUnits and
// kCurveNodeUnits for each frame. Memory: 12 bytes for each frame.
int64_t FillJointPosition(const PlayedFrames& frames, const AvatarDrive& drive,
                          const DrivenJoint& joint, PositionCurve* curve,
                          WorkMeter* work);

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
