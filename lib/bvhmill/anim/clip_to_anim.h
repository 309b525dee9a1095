#pragma once

// Converts BVH clips of any skeleton to .anim, with the fewest keys that an
// error bound allows: the profile `best`. (viewer_import.h is the profile
// `viewer`.)
//
//   ClipToAnimOptions options;
//   options.max_degrees = 0.5F;
//   ClipToAnimResult result;
//   BVHMILL_RETURN_IF_ERROR(ClipToAnim(clip, options, &result, &log));
//   if (result.converted) return WriteAnim(result.motion, &sink);
//
// Joints of the source drive joints of the avatar: a driven joint turns in the
// world from its rotation at rest as its joint of the source turns from that in
// the reference pose. The reference pose is the pose of the source that
// corresponds to the avatar at rest (see AnimReference). So bones may have any
// axes, and the source may have more bones than the avatar. Joints of the
// avatar that no joint drives stay at rest. The avatar keeps its own lengths.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/anim/format/anim_settings.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The height of the source's pelvis that corresponds to the avatar's pelvis at
// rest.
enum class PelvisHeight {
  // Its height above the lowest joint in the reference pose, as if the legs
  // were straight. The floor of the clip is at height 0.
  kStanding,
  // Its height in the first frame; in the second one if the first is not played
  // because it is apart (ANIM_FIRST_FRAME_LEFT_OUT).
  kFirstFrame,
};

struct ClipToAnimOptions {
  // For each node of the skeleton, the name of the avatar's joint that it
  // drives (any name that FindAvatarJoint finds), or "" for none. Empty list:
  // the nodes' own names.
  std::vector<std::string> joint_names;
  // True if joint_names come from a joint map that the user gave. The issue
  // ANIM_POSE_ODD then names that map as a possible cause.
  bool by_stated_map = false;
  // How position channels are read.
  Conventions conventions;
  // The pose of the source that corresponds to the avatar at rest (see
  // AnimReference).
  AnimReference reference = AnimReference::kAuto;
  PelvisHeight pelvis_height = PelvisHeight::kStanding;
  // Turns the clip about Y so that the avatar faces forward (its X axis) in the
  // reference pose. The line across the hips (or else the shoulders) tells
  // where the source faces. If kAuto finds that neither the rest pose nor the
  // first frame fits, the avatar faces forward in the first played frame
  // instead.
  bool align_heading = true;
  // In a reference pose that the caller gives, the avatar's arms and legs take
  // the directions of the source's, not those of its own rest pose. With kAuto
  // this is always so. The twist of these limbs, which is their rotation about
  // their own axes, is a guess.
  bool match_limbs = false;
  // Metres in one unit of the clip; 0: not known. An unknown unit counts as an
  // inch, as in the viewer. If the hips would then be too high or too low for a
  // person, lengths are scaled as by scale_to_avatar, and a warning states it.
  double metres_per_unit = 0;
  // Scales lengths so that the hips are as high as the avatar's, in place of
  // metres_per_unit.
  bool scale_to_avatar = false;
  // Writes positions: of the pelvis, relative to its place at rest; and of
  // other joints with position channels, relative to their parents. Face joints
  // that move by more than max_mm relative to their parents always get
  // positions. For other joints that move by more than 10 mm relative to their
  // parents, a warning is logged (ANIM_TRANSLATION_LEFT_OUT), unless
  // joint_positions is set.
  bool pelvis_position = true;
  bool joint_positions = false;
  // Also writes joints that never leave their rest pose.
  bool keep_still_joints = false;
  // The largest error of a curve at any frame, as the viewer plays it; 0: a key
  // for each frame. The 16-bit codes alone cause errors of up to 0.01 degrees
  // and 0.13 mm. Near half a turn about one of the axes they cause up to 0.45
  // degrees; two keys around a frame then correct this, where there is room for
  // them.
  float max_degrees = 0.1F;
  float max_mm = 1.0F;
  // The most bytes of the file. If it is larger, both bounds are raised by the
  // same factor until it fits; max_degrees is raised up to `max_degrees_limit`
  // (or its own value, if that is larger). 0: no limit.
  int64_t max_bytes = 0;
  float max_degrees_limit = 5.0F;
  // Also converts an odd figure: the errors that depend on accept_odd (see
  // ClipToAnim) become warnings. Positions are limited to 5 m along each axis.
  bool accept_odd = false;
  AnimSettings settings;
};

struct ClipToAnimResult {
  AnimMotion motion;
  // False: the log has an error, and there is no motion.
  bool converted = false;
  // The largest errors over all frames of all joints, as the viewer plays them.
  float degrees = 0;
  float millimetres = 0;
  // The bounds of the result: those of the options, or the raised ones.
  float max_degrees = 0;
  float max_mm = 0;
  int64_t keys = 0;
};

// Bytes of temporary memory for each frame, until ClipToAnim returns.
inline constexpr int64_t kClipToAnimFrameBytes = 76;

// Converts `clip`. Fails as CheckOptions does, and with the errors of `budget`,
// which may be null: CANCELLED or RESOURCE_EXHAUSTED, with an empty result and
// no issue. Logs
//
// - errors: no frames; more than 60 s or 65,536 frames; no joint of the clip is
//   a joint of the avatar, or none of them moves; the file exceeds max_bytes;
// - errors unless options.accept_odd: the avatar would lie down in every
//   sampled frame (ANIM_LIES_DOWN), bend its trunk or legs far from rest when
//   the source stands (ANIM_POSE_ODD), move farther than 5 m
//   (ANIM_POSITION_FAR), or float or sink by half the length of a leg or more
//   (ANIM_HEIGHT_WRONG); an arm, leg or spine would not move
//   (ANIM_LIMB_UNKNOWN), or an arm or leg would point elsewhere than the
//   source's (ANIM_LIMB_OFF);
// - warnings: values that are not finite, raised bounds, curves that miss their
//   bound, a limb that points elsewhere than the avatar's in the reference
//   pose, hips that are too high or too low, movement that is left out, a
//   guessed scale;
// - information: the reference pose if kAuto chose it, a first frame that is
//   not played because it is apart, joints that drive no joint of the avatar.
//
// Keys are chosen greedily, each as far from the previous one as the bound
// allows. Errors are measured on codes, as the viewer decodes and blends them.
// A key need not be on the curve, but must be within the bound.
//
// Cost: about 80 ns for each joint and frame, and 4 ns for each frame and each
// rotation channel on the path between the nodes that drive a joint and its
// nearest driven ancestor. The same cost again each time the bounds are raised,
// at most 24 times. Curves whose keys are hard to find cost more (curve_fit.h).
// In addition, once: 13 us for each node, and 4 us for each channel above six
// times the number of nodes.
//
// All of it is drawn from `budget` as work, in units of a nanosecond: the cost
// of the nodes and channels at once, before they are processed; the rest in
// parts of about 10 million (WorkMeter::kPart). A cancelled conversion stops
// when it draws.
//
// Memory: kClipToAnimFrameBytes for each frame, 408 bytes for each node and 40
// for each channel until it returns, and KeyBytes of the result. It is drawn
// from `budget` before it is allocated. KeyBytes(result->motion) remain drawn:
// the caller returns them when it frees the motion.
absl::Status ClipToAnim(const Clip& clip, const ClipToAnimOptions& options,
                        ClipToAnimResult* result, IssueLog* log,
                        Budget* budget = nullptr);

// INVALID_ARGUMENT "field: why" if `options` are invalid for `skeleton`.
// Requires that bounds on errors and bytes are not negative.
absl::Status CheckOptions(const ClipToAnimOptions& options,
                          const Skeleton& skeleton);

}  // namespace bvhmill
