// Changes of single frames, joints and rows of a clip.
//
// Rotations are worked out in double precision with the code of the samples,
// which shares nothing with the library.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/faults/fault.h"
#include "tests/samples/rotation.h"

namespace bvhmill::faults {

using samples::Mat3;
using samples::Vec3;

// Frames, columns, and one value.
inline int64_t Frames(const Clip& clip) { return clip.motion.frames; }
inline size_t Width(const Clip& clip) { return clip.skeleton.channels.size(); }
float& ValueAt(Clip* clip, int64_t frame, int64_t column);
float ValueAt(const Clip& clip, int64_t frame, int64_t column);

// Frames in `seconds`, at least one.
int64_t FramesIn(const Clip& clip, double seconds);

// The longest way along OFFSETs from a root to a leaf.
double ReachOf(const Clip& clip);

// Joints with exactly one rotation channel for each axis.
std::vector<int32_t> TurningJoints(const Clip& clip);
// The joints that turn by `degrees` a second or more on average, in the order
// of the file.
std::vector<int32_t> MovingJoints(const Clip& clip, double degrees = 3);
// True if the clip has 60 frames, and every row differs from the row before.
bool IsLive(const Clip& clip);
// The first node with three position channels that change, or -1.
int32_t MovingRoot(const Clip& clip);

// The local rotation of a joint of TurningJoints.
Mat3 RotationAt(const Clip& clip, int64_t frame, int32_t joint);
// Writes it as the angles that are nearest to those which are there.
void SetRotation(Clip* clip, int64_t frame, int32_t joint, const Mat3& m);
// Turns the joint by `degrees` about an axis of its own, 0 to 2.
void Turn(Clip* clip, int64_t frame, int32_t joint, int axis, double degrees);
// The angle between two local rotations, degrees.
double AngleBetween(const Mat3& a, const Mat3& b);
// How far a joint turns from the frame before.
double StepAt(const Clip& clip, int64_t frame, int32_t joint);

// The columns of X, Y and Z of the position of `node`; -1 for one that is
// missing.
std::array<int64_t, 3> PositionColumns(const Clip& clip, int32_t node);
// Adds to the position channels of a node.
void Move(Clip* clip, int64_t frame, int32_t node, const Vec3& by);
Vec3 PositionAt(const Clip& clip, int64_t frame, int32_t node);

// Rows as a whole.
void CopyRow(Clip* clip, int64_t from, int64_t to);
void RemoveRows(Clip* clip, int64_t first, int64_t count);
bool AreRowsEqual(const Clip& clip, int64_t a, int64_t b);

// Random choices.
int64_t Between(Site* site, int64_t low, int64_t high);
int32_t AnyOf(Site* site, const std::vector<int32_t>& list);
// A frame away from both ends, with `room` frames after it.
int64_t MiddleFrame(Site* site, int64_t room = 0);

}  // namespace bvhmill::faults
