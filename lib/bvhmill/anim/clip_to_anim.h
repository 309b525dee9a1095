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
// The joints of the source drive those of the avatar by their rotations in the
// world, relative to those in the reference pose. So bones may have any axes,
// and the source may have more bones than the avatar. Joints of the avatar that
// no joint drives are at rest. The avatar keeps its own lengths.

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
  // Its height above the lowest joint in the reference pose. The floor of the
  // clip is at 0.
  kStanding,
  // Its height in the first frame.
  kFirstFrame,
};

struct ClipToAnimOptions {
  // For each node of the skeleton, the name of the avatar's joint that it
  // drives (any name that FindAvatarJoint finds), or "" for none. Empty list:
  // the nodes' own names.
  std::vector<std::string> joint_names;
  // joint_names come from a map that the caller stated. If the avatar would
  // fold, the issue names that map as a possible cause.
  bool by_stated_map = false;
  // How position channels are read.
  Conventions conventions;
  AnimReference reference = AnimReference::kAuto;
  PelvisHeight pelvis_height = PelvisHeight::kStanding;
  // Turns the clip so that the reference pose faces ahead. The line across the
  // hips (or the shoulders) tells where it faces.
  bool align_heading = true;
  // In a stated reference pose, arms and legs point where those of the source
  // do, not where those of the avatar do at rest; kAuto always does this. The
  // twist of these limbs is a guess.
  bool match_limbs = false;
  // Metres in one unit of the clip; 0: not known. An unknown unit counts as an
  // inch, as in the viewer. If the hips would then be too high or too low for a
  // person, lengths are scaled as by scale_to_avatar, and a warning states it.
  double metres_per_unit = 0;
  // Scales lengths so that the hips are as high as the avatar's, in place of
  // metres_per_unit.
  bool scale_to_avatar = false;
  // Writes positions: of the pelvis; and of joints with position channels,
  // relative to their places at rest. Joints of the face that move by more than
  // max_mm in their parents always get positions. Other joints that
  // move by more than 10 mm there are warnings (ANIM_TRANSLATION_LEFT_OUT).
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
  // Also converts a figure that would lie down, fold, or exceed the 5 m range
  // of a position. Logs warnings about it.
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

inline constexpr int64_t kClipToAnimFrameBytes = 76;

// Converts `clip`. Fails as CheckOptions does, and with the errors of `budget`,
// which may be null: CANCELLED or RESOURCE_EXHAUSTED, with an empty result and
// no issue. Logs
//
// - errors: more than 60 s or 65,536 frames, no joint that the avatar has, too
//   many bytes; and, unless options.accept_odd, a figure that would lie down or
//   fold (ANIM_POSE_ODD, ANIM_LIES_DOWN) or go farther than 5 m, an arm, a leg
//   or a spine that the avatar would not move (ANIM_LIMB_UNKNOWN), or would
//   move elsewhere (ANIM_LIMB_OFF);
// - warnings: values that are not finite, raised bounds, curves that miss their
//   bound, a limb that points elsewhere than the avatar's, a guessed scale;
// - information: the reference pose if it was chosen here, joints that drive no
//   joint of the avatar.
//
// Keys are chosen greedily, each as far from the previous one as the bound
// allows. Errors are measured on codes, as the viewer decodes and blends them.
// A key need not be on the curve, but must be within the bound.
//
// Cost: about 80 ns for each joint and frame, and 4 ns for each frame and each
// rotation on the path from the node of a joint to that of the joint above. The
// same cost again each time the bounds are raised, at most 24 times. All of it
// is drawn from `budget` as work, in units of a nanosecond, at most 20 million
// at a time; a cancelled conversion stops within that time. Curves whose keys
// are hard to find cost, and draw, more (curve_fit.h).
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
