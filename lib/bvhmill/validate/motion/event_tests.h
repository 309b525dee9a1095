#pragma once

// The conditions of spikes and jumps. Private to validate/motion/.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "bvhmill/validate/motion/motion_rule.h"
#include "bvhmill/validate/motion/track_events.h"

namespace bvhmill {

// The steps before and after a jump, as a share of it; and the squares of
// steps, with room for rounding.
inline constexpr double kJumpShare = 0.25;
inline constexpr float kMostBesideJump = kJumpShare * kJumpShare * 1.0001;

// The thresholds of one kind of track, in degrees or shares of the reach.
struct EventLimits {
  // The size of one unit of sqrt(step), and of sqrt(kink).
  double step_unit = 0;
  double kink_unit = 0;
  double spike = 0;
  double spike_rate = 0;
  double jump = 0;
  double jump_rate = 0;
  bool has_calm_forms = false;
  // Steps and kinks below both of these are no events.
  float least_step = 0;
  float least_kink = 0;
  // A spike has a kink of at least this, or leads back: the square of the way
  // from the frame before to the frame after is at most this share of the
  // smaller step. Both leave room for rounding.
  float fast_kink = 0;
  float back_share = 0;
};

// Steps and kinks around a frame, in the unit of the limits.
struct Around {
  const float* steps;
  const float* kinks;
  const EventLimits& limits;

  double Step(int64_t i) const {
    return limits.step_unit * std::sqrt(double{steps[i]});
  }
  double Kink(int64_t i) const {
    return limits.kink_unit * std::sqrt(double{kinks[i]});
  }
  // From the frame before to the frame after.
  double Return() const {
    const double square =
        2 * (double{steps[0]} + double{steps[1]}) - double{kinks[0]};
    return limits.step_unit * std::sqrt(std::max(square, 0.0));
  }
};

// False if SpikeAt or JumpAt finds nothing. Most frames end here.
inline bool MayBeSpike(const Around& at) {
  constexpr float kRounding = 1e-5F;
  const float kink = at.kinks[0];
  const float both = at.steps[0] + at.steps[1];
  const float least = std::min(at.steps[0], at.steps[1]);
  const bool is_fast = kink >= at.limits.fast_kink;
  const bool is_back =
      2 * both - kink <= at.limits.back_share * least + kRounding * both;
  return (kink >= at.limits.least_kink) & (is_fast | is_back);
}
inline bool MayBeJump(const Around& at) {
  const float step = at.steps[0];
  return (step >= at.limits.least_step) &
         (std::max(at.steps[-1], at.steps[1]) <= kMostBesideJump * step);
}

EventLimits RotationLimits(const MotionClip& clip);
// Requires a reach above 0.
EventLimits PositionLimits(const MotionClip& clip);

// The spike of one frame at frame `t`, which `at` is around. Not every one is
// proved yet.
std::optional<TrackEvent> SpikeAt(const MotionClip& clip, const Around& at,
                                  int64_t t);
// The jump from frame t - 1 to `t`. Not every one is proved yet.
std::optional<TrackEvent> JumpAt(const MotionClip& clip, const Around& at,
                                 int64_t t);
// True if an event that is proved by `compared` is large for its track. Call
// when all frames came.
bool IsProved(const MotionClip& clip, Proof proof, float compared,
              size_t track);

}  // namespace bvhmill
