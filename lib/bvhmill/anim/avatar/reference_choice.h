#pragma once

// Chooses the reference: the pose of a source that corresponds to the avatar at
// rest. Private to anim/.
//
// The avatar plays the rotations of the source away from that pose. If a limb
// points elsewhere in the reference than the avatar's limb at rest, it is off
// by the same angle in every frame. So the angles in this one pose measure the
// whole clip.

#include <cstdint>
#include <optional>
#include <span>

#include "bvhmill/anim/avatar/avatar_limbs.h"
#include "bvhmill/anim/avatar/source_pose.h"
#include "bvhmill/anim/clip_to_anim.h"

namespace bvhmill {

struct ReferenceChoice {
  // kRestPoseFrame or a frame of the clip.
  int64_t frame = kRestPoseFrame;
  PoseMatch match = PoseMatch::kNone;
  // The first frame is the reference pose and is not played.
  bool skips_first_frame = false;
  // The largest error of trunk or limbs in the rest pose, in degrees.
  double rest_degrees = 0;
  // The larger error of trunk and legs in the chosen pose, after matching, in
  // degrees.
  double odd_degrees = 0;
  // The least angle between trunk and Y in the sampled frames, in degrees; none
  // if the source has no trunk.
  std::optional<double> least_lean;
};

// The number of sampled frames, spread evenly over the clip.
inline constexpr int64_t kReferenceSamples = 64;

// Chooses by `options`. The error of a trunk is its error in the pose, or the
// error that the avatar's trunk would have in most frames; the larger one
// counts. AnimReference::kAuto takes the first of these poses that fits:
//
// 1. the rest pose, if trunk and limbs are within 45 degrees of the avatar's;
// 2. the first frame, if they are so there; it is then not played, unless it
//    is the only frame;
// 3. the rest pose with its limbs matched, if the trunk is within 45 degrees,
//    and the legs within 60;
// 4. the sampled frame with the least UnrestOf, with the whole pose matched.
//
// kAuto takes the rest pose if the source lacks a hip or a shoulder.
//
// `drivers` has for each joint of the avatar the node that drives it, or -1.
// The clip must have frames. Cost: (kReferenceSamples + 2) poses. The pose in
// `scratch` is undefined afterwards.
ReferenceChoice ChooseReference(const Clip& clip, const Plan& plan,
                                std::span<const int32_t> drivers,
                                const ClipToAnimOptions& options,
                                SourcePose* scratch);

}  // namespace bvhmill
