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

// x, y, z, w of unit quaternions with w >= 0, or x, y, z in metres; in the axes
// of the avatar. All arrays are as long as the curve has frames.
struct RotationCurve {
  std::array<FloatArray, 4> q;
};
struct PositionCurve {
  std::array<FloatArray, 3> p;
};

// What is played of a clip.
struct PlayedFrames {
  const Clip* clip = nullptr;
  const Plan* plan = nullptr;
  int64_t first = 0;
  int64_t count = 0;
};

// Work that the functions below draw: units, which are nanoseconds, for a
// frame, and for each rotation and each node that it goes through; and for each
// angle of a block of 256 frames that has a huge one, which is slow to bring
// into range. Once `work` refuses they return early, and the curve is not to be
// used.
inline constexpr int64_t kCurveFrameUnits = 8;
inline constexpr int64_t kCurveStepUnits = 4;
inline constexpr int64_t kCurveNodeUnits = 8;
inline constexpr int64_t kCurveHugeUnits = 200;

// The rotation of a driven joint relative to its parent; `steps` are those of
// its way. Values that are not finite count as the one before (0 before the
// first); returns how many there were. Cost: kCurveFrameUnits a frame and
// kCurveStepUnits a step and frame. Memory: 16 bytes a frame, and 4 a step
// until it returns.
int64_t FillRotation(const PlayedFrames& frames, const DrivenJoint& joint,
                     std::span<const DriveStep> steps, RotationCurve* curve,
                     WorkMeter* work);

// Where the pelvis is, relative to its place at rest. Returns as FillRotation.
// Cost: kCurveFrameUnits a frame, kCurveNodeUnits for the pelvis and each node
// above it and frame, kCurveStepUnits for each rotation of those above and
// frame. Memory: 12 bytes a frame, and 80 a node until it returns.
int64_t FillPelvisPosition(const PlayedFrames& frames, const AvatarDrive& drive,
                           PositionCurve* curve, WorkMeter* work);

// Where `joint`, which has position channels, is in its parent: the avatar's
// place at rest, and the distance of the source from its OFFSET. Cost:
// kCurveFrameUnits and kCurveNodeUnits a frame. Memory: 12 bytes a frame.
int64_t FillJointPosition(const PlayedFrames& frames, const AvatarDrive& drive,
                          const DrivenJoint& joint, PositionCurve* curve,
                          WorkMeter* work);

}  // namespace bvhmill
