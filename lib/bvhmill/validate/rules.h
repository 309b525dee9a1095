#pragma once

// The rules that look at a whole clip at once. Validate applies them one after
// the other, and each logs what it finds. Rules about the steps of joints are
// in motion/motion_rule.h.

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/checked_clip.h"

namespace bvhmill {

// Names and offsets of the skeleton, how position channels are to be read, and
// hints about the unit and the up axis: SKELETON_*, DATA_ROOT_OFFSET_ADDITIVE,
// DATA_JOINT_POSITIONS_*, DATA_UNIT_GUESS, DATA_UP_AXIS_GUESS. Writes
// has_global_positions and seems_z_up of clip.motion. O(size of the facts +
// nodes).
void CheckSamples(const CheckedClip& clip, IssueLog* log);

// The rest pose and the ends of the clip: DATA_ASYMMETRY, DATA_REST_POSE,
// DATA_LOOP. O(nodes).
void CheckPoses(const CheckedClip& clip, IssueLog* log);

// Position channels: DATA_BONE_LENGTH, DATA_ROOT_SCALE, DATA_ROOT_CONSTANT.
// O(frames x positions).
void CheckPositions(const CheckedClip& clip, IssueLog* log);

// Feet and the floor, from the world positions of head and feet:
//
//   DATA_UP_AXIS_GUESS  the head is not above the feet, but along another axis
//   DATA_BELOW_FLOOR    the feet sink below the floor in a few frames, or the
//                       whole figure does in a part of the clip
//   DATA_FLOOR_DRIFT    the floor rises or falls over the clip, or the whole
//                       figure floats in a part of it
//   DATA_FLOOR_OFFSET   the figure does not stand on 0
//   DATA_FOOT_SKATE     feet that stand on the floor move over it
//   DATA_ROOT_SCALE     the floor is far from 0 while the figure moves, or the
//                       root moves much less than its feet require
//
// The root is the body root (MotionFacts). Up is the axis that the caller
// states; else the one along which the head is clearly above the feet; else Z
// if the rest pose hints at it; else Y. Figures without landmarks get no issue.
// Frames are judged at about 30 a second: see LandmarkStep.
// O(judged frames).
void CheckFloor(const CheckedClip& clip, IssueLog* log);

}  // namespace bvhmill
