#pragma once

// BVH clips of any skeleton to .anim, with keys that are as few as an error
// bound allows: the profile `best`. (viewer_import.h is the profile `viewer`.)

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

// The inch as the viewer has it.
inline constexpr double kInchMetres = 0.02540005;

// Where the pelvis is, in height, when it is where the avatar's is at rest.
enum class PelvisHeight {
  // As high as it is above the lowest joint of the reference pose; the floor is
  // at 0.
  kStanding,
  // As high as in the first frame.
  kFirstFrame,
};

struct ClipToAnimOptions {
  // For each node of the skeleton the name of the avatar's joint that it drives
  // (as FindAvatarJoint takes it), "" for none. No entries at all: the nodes'
  // own names.
  std::vector<std::string> joint_names;
  // What position channels mean.
  Conventions conventions;
  AnimReference reference = AnimReference::kAuto;
  PelvisHeight pelvis_height = PelvisHeight::kStanding;
  // Turns the clip so that the reference pose looks ahead, by where its hips
  // (or shoulders) are.
  bool align_heading = true;
  // Arms and legs point, in the reference pose, where the source's do, instead
  // of where the avatar's do at rest: for poses with hanging arms, and others
  // that are not the avatar's. Their turn about themselves is a guess.
  bool match_limbs = false;
  // Metres in a unit of the clip. 0: not known. It is then taken for an inch,
  // as the viewer does. If that makes hips higher or lower than a person has
  // them, lengths are scaled as below, and a warning says so.
  double metres_per_unit = 0;
  // Instead: lengths are scaled so that the hips are as high as the avatar's.
  bool scale_to_avatar = false;
  // Writes where the pelvis is; and, for joints with position channels, how far
  // they are from their place at rest.
  bool pelvis_position = true;
  bool joint_positions = false;
  // Also joints that never leave their rest.
  bool keep_still_joints = false;
  // What a curve may be off at any frame when the viewer plays it; 0: a key for
  // each frame. The 16 bits of a key alone are off by up to 0.01 degrees and
  // 0.13 mm; near half a turn about one of the axes by up to 0.45 degrees,
  // which two keys around a frame make good where there is room for them.
  float max_degrees = 0.1F;
  float max_millimetres = 1.0F;
  // The bounds are raised until the file fits, to `max_degrees_limit` or
  // max_degrees, the larger, and max_millimetres as much; 0: they are not.
  int64_t max_bytes = 0;
  float max_degrees_limit = 5.0F;
  // Converts also a figure that would lie down, fold or leave the 5 m that a
  // position can say; warnings tell so.
  bool accept_odd = false;
  AnimSettings settings;
};

struct ClipToAnimResult {
  AnimMotion motion;
  // False: there is an error in the log, and no motion.
  bool converted = false;
  // The worst over all frames of all joints, as the viewer plays them.
  float degrees = 0;
  float millimetres = 0;
  // The bounds that were kept: those of the options, or what they were raised
  // to.
  float max_degrees = 0;
  float max_millimetres = 0;
  int64_t keys = 0;
};

// INVALID_ARGUMENT "field: why" if `options` make no sense for `skeleton`.
absl::Status CheckOptions(const ClipToAnimOptions& options,
                          const Skeleton& skeleton);

// Converts `clip`. Fails as CheckOptions does, and as `budget` does, which may
// be null: CANCELLED or RESOURCE_EXHAUSTED, with an empty result and no issue
// about it. Logs
// - errors: more than 60 s or 65,536 frames, no joint that the avatar has, too
//   many bytes; and, unless options.accept_odd, a figure that would lie down or
//   fold (ANIM_POSE_ODD, ANIM_LIES_DOWN) or go farther than 5 m;
// - warnings: values that are not finite, raised bounds, curves that miss their
//   bound, a limb that points elsewhere than the avatar's, a scale that is a
//   guess;
// - as information: the pose of reference if it was chosen here, joints that
//   drive none of the avatar's.
//
// How. The source's joints drive the avatar's by their rotations in the world,
// relative to those in the pose of reference, so that bones may have any axes
// and there may be more of them than the avatar has. Joints of the avatar that
// nothing drives are at rest. The avatar's lengths are its own.
//
// Keys are chosen greedily, each as far from the last as the bound allows,
// measured on codes as the viewer decodes and blends them. A key need not lie
// on the curve, but within the bound.
//
// Cost: about 80 ns a joint and frame; 4 ns more for each rotation and frame on
// the way from the node of a joint to that of the joint above; as much again
// each time the bounds are raised, 24 times at most. All of it is drawn from
// `budget` as work, in units of a nanosecond, at most 20 million at a time:
// that is how soon it stops when it is cancelled. Curves whose keys are hard to
// find cost, and draw, more (curve_fit.h).
//
// Memory: kClipToAnimFrameBytes a frame, kClipToAnimNodeBytes a node and
// kClipToAnimChannelBytes a channel until it returns, and KeyBytes of the
// result. It is drawn from `budget` before it is taken.
// KeyBytes(result->motion) remain drawn: the caller gives them back when the
// motion is freed.
absl::Status ClipToAnim(const Clip& clip, const ClipToAnimOptions& options,
                        ClipToAnimResult* result, IssueLog* log,
                        Budget* budget = nullptr);

inline constexpr int64_t kClipToAnimFrameBytes = 76;
inline constexpr int64_t kClipToAnimNodeBytes = 368;
inline constexpr int64_t kClipToAnimChannelBytes = 40;

}  // namespace bvhmill
