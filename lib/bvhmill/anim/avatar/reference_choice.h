#pragma once

// Which pose of a source is the avatar at rest. Private to anim/.
//
// The avatar plays what the source turns away from that pose. A limb that
// points elsewhere in it than the avatar's does at rest is off by the same
// angle in every frame; so the angles in this one pose measure the whole clip.

#include <cstdint>
#include <optional>
#include <span>

#include "bvhmill/anim/avatar/avatar_limbs.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/avatar/source_pose.h"

namespace bvhmill {

struct ReferenceChoice {
  // kRestPoseFrame or a frame of the clip.
  int64_t frame = kRestPoseFrame;
  PoseMatch match = PoseMatch::kNone;
  // The first frame is a pose of its own, which is not played.
  bool skips_first_frame = false;
  // Degrees that trunk or limbs of the rest pose are off; the largest.
  double rest_degrees = 0;
  // Degrees that the trunk or a leg is off in the pose that was chosen, after
  // matching; the larger.
  double odd_degrees = 0;
  // Least degrees between trunk and Y in the frames that were looked at;
  // nothing if the source has no trunk.
  std::optional<double> least_lean;
};

// Frames, evenly spread over the clip, that are looked at.
inline constexpr int64_t kReferenceSamples = 64;

// Chooses by `options`. The trunk of a pose counts as off by what it is off in
// that pose, or by what the avatar's would be off in most frames. The larger
// counts. AnimReference::kAuto takes the first that fits of
// 1. the rest pose, if trunk and limbs are within 45 degrees of the avatar's;
// 2. the first frame, if they are in it: it is then not played;
// 3. the rest pose with its limbs matched, if the trunk is within 45 degrees,
//    and the legs within 60;
// 4. the frame with the least unrest (UnrestOf), with all of it matched.
// A source without hips and shoulders gets the rest pose.
//
// `drivers` has for each joint of the avatar the node that drives it, or -1.
// The clip has frames. Cost: (kReferenceSamples + 2) poses. `scratch` is left
// with any pose.
ReferenceChoice ChooseReference(const Clip& clip, const Plan& plan,
                                std::span<const int32_t> drivers,
                                const ClipToAnimOptions& options,
                                SourcePose* scratch);

}  // namespace bvhmill
