#include "bvhmill/validate/motion/events/line_runs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "bvhmill/validate/motion/motion_units.h"

namespace bvhmill {
namespace {

// The body turns by at least this much, in degrees. Smaller steps are the
// rounding of the text.
constexpr double kLeastBodyStep = 0.05;
// A limb may turn evenly for fewer.
constexpr int64_t kFewestFrames = 6;

}  // namespace

void LineRuns::Begin(const MotionClip& clip) {
  clip_ = &clip;
  // A sine of f Hz has kinks of 2 pi f dt times its steps, in the mean.
  most_ratio_ =
      static_cast<float>(2 * std::numbers::pi * clip.facts->dt *
                         clip[Threshold::DATA_INTERPOLATED_line_hertz]);
  least_steps_ = static_cast<float>(kLeastBodyStep / (2 * kDegrees));
  run_ = longest_ = {};
  runs_ = 0;
}

void LineRuns::EndRun() {
  // Frame times are rounded.
  constexpr double kRounding = 0.999;
  const double least =
      kRounding * (*clip_)[Threshold::DATA_INTERPOLATED_line_seconds];
  const auto frames = static_cast<double>(run_.frames());
  if (run_.frames() >= kFewestFrames && frames * clip_->facts->dt >= least) {
    ++runs_;
    if (run_.frames() > longest_.frames()) longest_ = run_;
  }
  run_ = {};
}

void LineRuns::Add(const MotionBlock& block) {
  const int64_t begin = std::max<int64_t>(block.BeginFor(1), 1);
  const int64_t end = block.is_last ? block.end() - 1 : block.EndFor(1);
  if (begin >= end) return;
  const float* const steps = block.totals->steps.data();
  const float* const kinks = block.totals->kinks.data();
  const float ratio = most_ratio_;
  const float least = least_steps_;
  // The step to the last frame of the block before is not known any more, so
  // that a kink is compared with the step after it.
  const auto is_line = [=](size_t i) {
    return kinks[i] <= ratio * steps[i + 1] && steps[i + 1] >= least;
  };
  const size_t last = block.IndexOf(end);
  for (size_t i = block.IndexOf(begin); i < last; ++i) {
    if (run_.frames() == 0) i = FirstOf(i, last, is_line);
    if (i == last) return;
    if (!is_line(i)) {
      EndRun();
      continue;
    }
    const int64_t t = block.FrameOf(i);
    if (run_.frames() == 0) run_.first = t;
    run_.last = t;
    run_.steps += double{steps[i + 1]};
    run_.kinks += double{kinks[i]};
  }
}

void LineRuns::Finish() { EndRun(); }

}  // namespace bvhmill
