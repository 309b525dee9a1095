#pragma once

// The curves of the avatar's joints over all frames, in arrays. Private to
// anim/.

#include <array>
#include <cstdint>
#include <span>

#include "bvhmill/anim/avatar/avatar_drive.h"
#include "bvhmill/anim/avatar/drive_steps.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/base/work_meter.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/kinematics/plan.h"

namespace bvhmill {

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

// Work that the functions below draw, in nanoseconds: for each frame; for each
// rotation in a frame; for each node in a frame. Angles beyond kMaxFastDegrees
// are slow to reduce: a block of 256 frames with such an angle also costs
// kCurveHugeUnits for each of its angles. If `work` refuses, the functions
// return early, and the curve must not be used.
inline constexpr int64_t kCurveFrameUnits = 8;
inline constexpr int64_t kCurveStepUnits = 4;
inline constexpr int64_t kCurveNodeUnits = 8;
inline constexpr int64_t kCurveHugeUnits = 200;

// Fills `curve` with the rotation of a driven joint relative to its parent.
// `steps` are the rotations on its path. A value that is not finite is replaced
// by the one before it (0 at the beginning); returns the number of such values.
// Cost: kCurveFrameUnits for each frame, and kCurveStepUnits for each step and
// frame. Memory: 16 bytes for each frame, and 4 for each step until it returns.
int64_t FillRotation(const PlayedFrames& frames, const DrivenJoint& joint,
                     std::span<const DriveStep> steps, RotationCurve* curve,
                     WorkMeter* work);

// Fills `curve` with the position of the pelvis relative to its place at rest.
// Requires a drive with a pelvis. Returns the same as FillRotation. Cost:
// kCurveFrameUnits for each frame; for each frame also kCurveNodeUnits for the
// pelvis and each node above it, and kCurveStepUnits for each rotation of the
// nodes above. Memory: 12 bytes for each frame, and 80 for each node until it
// returns.
int64_t FillPelvisPosition(const PlayedFrames& frames, const AvatarDrive& drive,
                           PositionCurve* curve, WorkMeter* work);

// Fills `curve` with the position of `joint`, which has position channels, in
// its parent: the avatar's position at rest, plus the difference of the source
// from its OFFSET. Returns the same as FillRotation. Cost: kCurveFrameUnits and
// kCurveNodeUnits for each frame. Memory: 12 bytes for each frame.
int64_t FillJointPosition(const PlayedFrames& frames, const AvatarDrive& drive,
                          const DrivenJoint& joint, PositionCurve* curve,
                          WorkMeter* work);

}  // namespace bvhmill
