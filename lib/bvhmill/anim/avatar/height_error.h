#pragma once

// Compares the height of the avatar's hips with that of the source's. Private
// to anim/.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bvhmill/anim/avatar/source_pose.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/kinematics/plan.h"

namespace bvhmill {

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
  // The height of the avatar's hips above its ground, less that of the source's
  // above its floor, each in lengths of its own leg: the median over the
  // sampled frames. The floor is the lowest joint of a frame, in the
  // median.
  double legs = 0;
  // The option that makes it less than kHeightTolerance: "--floor",
  // "--root-offset add", "--anim-scale-to-avatar"; or empty.
  std::string_view mend;
};

inline constexpr double kHeightTolerance = 0.15;

// None if the source has no pelvis, or no leg with a length. `drivers` has for
// each joint of the avatar the node that drives it, or -1; frames below `first`
// are not played. Cost: kReferenceSamples poses. The pose in `scratch` is
// undefined afterwards.
std::optional<HeightError> FindHeightError(const Clip& clip, const Plan& plan,
                                           std::span<const int32_t> drivers,
                                           int64_t first, const HeightMap& map,
                                           SourcePose* scratch);

}  // namespace bvhmill
