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
  // The first frame is not played: it is the reference pose, or is apart.
  bool skips_first_frame = false;
  // By kAuto: a limb or the trunk turns by at least 30 degrees from frame 0 to
  // frame 1, and by less than a quarter of that to frame 2. How far it turns,
  // in degrees, and how far the pelvis goes, in units of the source.
  struct FirstApart {
    double degrees = 0;
    double way = 0;
  };
  std::optional<FirstApart> first_apart;
  // The largest error of trunk or limbs in the rest pose, in degrees.
  double rest_degrees = 0;
  // The larger error of trunk and legs in the chosen pose, after matching, in
  // degrees.
  double odd_degrees = 0;
  // The directions of limbs: the mean of the sampled frames. A bone that is
  // rigid has one direction in all of them.
  LimbBones bones;
  // The node at which the limb begins whose direction differs most from its
  // mean, and the median of this difference. Node -1: no limb.
  struct Loosest {
    int32_t node = -1;
    double degrees = 0;
  } loosest_limb;
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
// 3. the rest pose, if the trunk is within 45 degrees, and the legs within 60;
// 4. the sampled frame with the least UnrestOf, with the whole pose matched.
//
// Limbs are matched in 1 to 3.
//
// kAuto takes the rest pose if the source lacks a hip or a shoulder, and takes
// 4 if no leg has a length in the rest pose.
//
// `drivers` has for each joint of the avatar the node that drives it, or -1.
// The clip must have frames. Cost: (kReferenceSamples + 5) poses. The pose in
// `scratch` is undefined afterwards.
ReferenceChoice ChooseReference(const Clip& clip, const Plan& plan,
                                std::span<const int32_t> drivers,
                                const ClipToAnimOptions& options,
                                SourcePose* scratch);

}  // namespace bvhmill
