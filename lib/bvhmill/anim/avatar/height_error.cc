#include "bvhmill/anim/avatar/height_error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "bvhmill/anim/avatar/avatar_limbs.h"
#include "bvhmill/anim/avatar/reference_choice.h"

namespace bvhmill {
namespace {

double AtShare(std::vector<double> values, double share) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(
                           share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The heights of a source in the sampled frames.
struct Heights {
  std::vector<double> hips;
  std::vector<double> lowest;
  std::vector<double> legs;
};

Heights LookAtHeights(const Clip& clip, const Plan& plan,
                      std::span<const int32_t> drivers, int64_t first,
                      SourcePose* pose) {
  Heights heights;
  const auto pelvis = static_cast<size_t>(drivers[0]);
  const int64_t frames = clip.motion.frames - first;
  const int64_t samples = std::min(frames, kReferenceSamples);
  for (int64_t i = 0; i < samples; ++i) {
    SolveSourcePose(clip, plan, first + i * frames / samples, pose);
    double lowest = pose->places[pelvis][1];
    for (const Vec3<double>& place : pose->places) {
      lowest = std::min(lowest, place[1]);
    }
    heights.hips.push_back(pose->places[pelvis][1]);
    heights.lowest.push_back(lowest);
    const auto leg = LegLength({drivers, pose->places, {}});
    if (leg) heights.legs.push_back(*leg);
  }
  return heights;
}

}  // namespace

std::optional<HeightError> FindHeightError(const Clip& clip, const Plan& plan,
                                           std::span<const int32_t> drivers,
                                           int64_t first, const HeightMap& map,
                                           SourcePose* scratch) {
  if (drivers[0] < 0) return std::nullopt;
  const Heights heights = LookAtHeights(clip, plan, drivers, first, scratch);
  if (heights.legs.empty()) return std::nullopt;
  const double leg = AtShare(heights.legs, 0.5);
  const double floor = AtShare(heights.lowest, 0.5);
  // The error if the source were `raise` higher.
  const auto error = [&](const HeightMap& by, double raise) {
    std::vector<double> legs;
    for (const double hips : heights.hips) {
      const double avatar =
          kAvatarHipHeight + by.metres_per_unit * (hips + raise - by.zero);
      legs.push_back(avatar / AvatarLegLength() - (hips - floor) / leg);
    }
    return AtShare(std::move(legs), 0.5);
  };
  HeightError found;
  found.legs = error(map, 0);
  const auto mends = [&](const HeightMap& by, double raise) {
    return std::fabs(error(by, raise)) < kHeightTolerance;
  };
  const double offset = clip.skeleton.nodes[0].offset[1];
  if (mends(map, offset)) {
    found.mend = "--root-offset add";
  } else if (mends(map, -floor)) {
    found.mend = "--floor";
  } else if (map.zero > 0 &&
             mends({kAvatarHipHeight / map.zero, map.zero}, 0)) {
    found.mend = "--anim-scale-to-avatar";
  }
  return found;
}

}  // namespace bvhmill
