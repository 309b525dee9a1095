#pragma once

// Spikes that were smoothed: a joint leaves its way and comes back in four
// steps of about equal length. Private to validate/motion/.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "bvhmill/math/linear.h"
#include "bvhmill/validate/motion/events/event_tests.h"

namespace bvhmill {

inline constexpr int kPulseSteps = kPulseFrames + 1;

// False if PulseAt finds none. At high rates the middle frame of a pulse has a
// kink that proves a spike by itself.
inline bool MayBePulse(const Around& at) {
  const float* const steps = at.steps;
  const float least =
      std::min(std::min(steps[0], steps[1]), std::min(steps[2], steps[3]));
  const float beside = std::max(steps[-1], steps[4]);
  return (least >= at.limits.pulse_step) & (at.kinks[1] < at.limits.fast_kink) &
         (beside <= at.limits.most_beside_pulse * least);
}

// The poses from the frame before a pulse to the frame after it.
using PulsePoses = std::array<Quat<double>, kPulseFrames + 2>;

// The pulse in frames `t` to t + 2, the first of which `at` is around.
std::optional<TrackEvent> PulseAt(const MotionClip& clip, const Around& at,
                                  const PulsePoses& poses, int64_t t);

}  // namespace bvhmill
