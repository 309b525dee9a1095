#include "bvhmill/validate/motion/events/fade_in.h"

#include <algorithm>
#include <cstddef>

#include "bvhmill/validate/motion/motion_units.h"

namespace bvhmill {
namespace {

constexpr int64_t kFewestFadeFrames = 2;
constexpr int64_t kMostFadeFrames = 4;
// The frames after it that it is compared with.
constexpr int64_t kFramesAfterFade = 4;
constexpr double kLeastFadeDegrees = 1;
constexpr float kFadeRatio = 3;

FadeIn FadeOf(const MotionClip& clip, const MotionBlock& block,
              int64_t frames) {
  FadeIn fade;
  fade.frames = frames;
  const float least_step = StepOf(kLeastFadeDegrees);
  for (size_t track = 0; track < clip.rotations; ++track) {
    const float* const first = block.StepsOf(track) + block.IndexOf(1);
    const float* const end = first + frames;
    const float least = *std::min_element(first, end);
    const float after = *std::max_element(end, end + kFramesAfterFade);
    if (least <= least_step || least <= kFadeRatio * kFadeRatio * after)
      continue;
    double degrees = 0;
    for (const float* step = first; step < end; ++step) {
      degrees += AngleDegrees(double{*step});
    }
    ++fade.joints;
    fade.degrees = std::max(fade.degrees, degrees);
  }
  return fade;
}

}  // namespace

FadeIn FindFadeIn(const MotionClip& clip, const MotionBlock& block) {
  FadeIn best;
  for (int64_t n = kFewestFadeFrames; n <= kMostFadeFrames; ++n) {
    if (n + kFramesAfterFade >= block.frames) break;
    const FadeIn fade = FadeOf(clip, block, n);
    if (fade.joints > best.joints) best = fade;
  }
  return best;
}

}  // namespace bvhmill
