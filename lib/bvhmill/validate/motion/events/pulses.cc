#include "bvhmill/validate/motion/events/pulses.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/validate/motion/motion_units.h"

namespace bvhmill {

std::optional<TrackEvent> PulseAt(const MotionClip& clip, const Around& at,
                                  const PulsePoses& poses, int64_t t) {
  if (!at.is_inner || !MayBePulse(at)) return std::nullopt;
  const double unit = at.limits.step_unit;
  const double square = StepBetween(poses[0], poses[2]);
  const double height = unit * std::sqrt(square);
  const double away = unit * std::sqrt(StepBetween(poses[0], poses[4]));
  double least = at.Step(0);
  for (int n = 1; n < kPulseSteps; ++n) least = std::min(least, at.Step(n));
  const double beside = std::max(at.Step(-1), at.Step(kPulseSteps));
  if (height < clip[Threshold::DATA_SPIKE_pulse_degrees] ||
      least < kLeastPulseStep * height ||
      least < clip[Threshold::DATA_SPIKE_pulse_ratio] * beside ||
      away > clip[Threshold::DATA_SPIKE_back_after_jumps] * height) {
    return std::nullopt;
  }
  TrackEvent pulse;
  pulse.frame = t;
  pulse.frames = kPulseFrames;
  pulse.size = pulse.compared = static_cast<float>(height);
  pulse.stated = static_cast<float>(AngleDegrees(square));
  return pulse;
}

}  // namespace bvhmill
