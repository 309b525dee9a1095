#pragma once

// The curves of the avatar's joints over all frames, in arrays. Private to
// anim/.

#include <array>
#include <cstdint>

#include "bvhmill/anim/avatar_drive.h"
#include "bvhmill/base/uninitialized.h"
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

// The rotation of a driven joint relative to its parent. Values that are not
// finite count as the one before (0 before the first); returns how many there
// were. Cost: about 4 ns a step and frame.
int64_t FillRotation(const PlayedFrames& frames, const DrivenJoint& joint,
                     RotationCurve* curve);

// Where the pelvis is, relative to its place at rest. Returns as FillRotation.
int64_t FillPelvisPosition(const PlayedFrames& frames, const AvatarDrive& drive,
                           PositionCurve* curve);

// Where `joint`, which has position channels, is in its parent: the avatar's
// place at rest, and what the source is off its OFFSET.
int64_t FillJointPosition(const PlayedFrames& frames, const AvatarDrive& drive,
                          const DrivenJoint& joint, PositionCurve* curve);

}  // namespace bvhmill
