#pragma once

// The reference pose: the pose of a source that corresponds to the avatar at
// rest; and the height of the avatar's hips that results from it.
//
// The avatar plays the rotations of the source relative to the reference pose.
// If a limb points elsewhere in that pose than the avatar's limb at rest, it is
// off by the same angle in every frame. So the angles in this one pose measure
// the whole clip.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bvhmill/anim/avatar/limbs.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/kinematics/plan.h"

namespace bvhmill {

struct ReferenceChoice {
  // kRestPoseFrame or a frame of the clip.
  int64_t frame = kRestPoseFrame;
  PoseMatch match = PoseMatch::kNone;
  // True: the first frame is not played, because it is the reference pose or
  // first_apart is set.
  bool skips_first_frame = false;
  // A first frame apart from the clip: a limb or the trunk turns by at least 30
  // degrees from frame 0 to frame 1, and by less than a quarter of that to
  // frame
  // 2. The turn in degrees, and the distance of the pelvis in units of the
  // source. Set only with kAuto.
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
  // The mean directions of limbs over the sampled frames. A rigid bone has the
  // same direction in all of them.
  LimbBones bones;
  // The limb with the largest median difference from its mean direction: the
  // node at which it begins (-1: no limb), and this difference.
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

// Chooses the reference pose by `options`. The error of a trunk is the larger
// of its error in the pose and the median error of the avatar's trunk in the
// sampled frames. AnimReference::kAuto chooses the first of these poses that
// fits:
//
// 1. the rest pose, if trunk and limbs are within 45 degrees of the avatar's;
// 2. the first frame, if they are in it; it is then not played, unless it is
//    the only frame;
// 3. the rest pose, if the trunk is within 45 degrees, and the legs within 60;
// 4. the sampled frame with the least StandingError, with the whole pose
//    matched.
//
// Limbs are matched in 1 to 3.
//
// kAuto chooses the rest pose if the source lacks a hip or a shoulder. It does
// not choose the rest pose if no leg has a length there, but one has in a
// sampled frame.
//
// `drivers` has for each joint of the avatar the node that drives it, or -1.
// The clip must have frames. Cost: (kReferenceSamples + 5) poses. The pose in
// `scratch` is undefined afterwards.
ReferenceChoice ChooseReference(const Clip& clip, const Plan& plan,
                                std::span<const int32_t> drivers,
                                const ClipToAnimOptions& options,
                                SourcePose* scratch);

// The height of hips.

// Height of the avatar's mPelvis at rest, in metres.
inline constexpr double kAvatarHipHeight = 1.067015;

// How the heights of a source become those of the avatar:
//
//   kAvatarHipHeight + metres_per_unit * (height - zero)
struct HeightMap {
  double metres_per_unit = 1;
  double zero = 0;
};

struct HeightError {
  // The height of the avatar's hips above its ground, minus that of the
  // source's hips above its floor, each in lengths of its own leg: the median
  // over the sampled frames. The floor is the median height of the lowest
  // joint.
  double legs = 0;
  // The option that makes `legs` less than kHeightTolerance: "floor",
  // "root_offset add", "anim_scale_to_avatar"; or empty.
  std::string_view mend;
};

inline constexpr double kHeightTolerance = 0.15;

// Compares the heights of hips. None if the source has no pelvis, or no leg
// with a length. `drivers` has for each joint of the avatar the node that
// drives it, or -1; frames below `first` are not played. Cost:
// kReferenceSamples poses. The pose in `scratch` is undefined afterwards.
std::optional<HeightError> FindHeightError(const Clip& clip, const Plan& plan,
                                           std::span<const int32_t> drivers,
                                           int64_t first, const HeightMap& map,
                                           SourcePose* scratch);

}  // namespace bvhmill
