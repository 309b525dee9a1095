#pragma once

// The conditions of spikes and jumps. Private to validate/motion/.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "bvhmill/math/linear.h"
#include "bvhmill/validate/motion/events/track_events.h"
#include "bvhmill/validate/motion/motion_rule.h"

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
  // Both steps of a joint that makes half a turn and comes back are at least
  // this.
  float half_turn = HUGE_VALF;
  // The forms that compare with the frames near by. The least spike, in
  // degrees, and the least difference of a jump from the mean of the steps
  // before and after it, in the unit of `step_unit`.
  double local_spike = HUGE_VAL;
  double local_jump = HUGE_VAL;
  // The kinks of such a jump, and the square of how many times those near by
  // they are, at least. Both leave room for rounding.
  float local_kink = HUGE_VALF;
  float local_square = 0;
  // A jump that is spread over several steps: each of them is this many times
  // those before and after the jump. The square of the inverse leaves room for
  // rounding.
  double spread_ratio = 0;
  float most_beside_spread = 0;
  // The same of a jump that is quicker than people: its steps are longer than
  // those before and after it by `quick_step`, which follows from the rate.
  double quick_ratio = 0;
  double quick_rate = 0;
  double quick_step = HUGE_VAL;
  // The square of the least step of either, with room for rounding.
  float spread_step = 0;
  // A smoothed spike of rotations: the square of its least step, and that of
  // the steps before and after it as a share of it. Both leave room for
  // rounding.
  float pulse_step = HUGE_VALF;
  float most_beside_pulse = 0;

  bool has_local_forms() const { return local_jump < HUGE_VAL; }
};

// The frames of a smoothed spike. Its steps are this share of its height, at
// least: half of it in a filtered spike of one frame, and less than a third
// where toes roll off.
inline constexpr int kPulseFrames = 3;
inline constexpr double kLeastPulseStep = 0.4;

// Frames on either side of one that forms need which compare with the frames
// near by.
inline constexpr int64_t kLocalMargin = 4;

// Steps and kinks around a frame, in the unit of the limits.
struct Around {
  const float* steps;
  const float* kinks;
  const EventLimits& limits;
  // The clip has kLocalMargin frames or more before and after the frame.
  bool is_inner = false;

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

// A joint that turns by about half a turn and back in the next frame. The signs
// of its quaternions are chance, so that the way out and back may read as a
// whole turn in one direction.
struct HalfTurn {
  // The kink that the other sign gives, in degrees.
  double kink = 0;
  // From the frame before to the frame after.
  double away = 0;
};
HalfTurn HalfTurnAt(const Around& at);
// Both steps of a half turn are above this. It is 133 degrees.
inline constexpr float kLeastHalfTurn = 1.2F;

// False if SpikeAt or JumpAt finds nothing. Most frames end here.
inline bool MayBeSpike(const Around& at) {
  constexpr float kRounding = 1e-5F;
  const float kink = at.kinks[0];
  const float both = at.steps[0] + at.steps[1];
  const float least = std::min(at.steps[0], at.steps[1]);
  const bool is_fast = kink >= at.limits.fast_kink;
  const bool is_back =
      2 * both - kink <= at.limits.back_share * least + kRounding * both;
  const bool is_half_turn = least >= at.limits.half_turn;
  return ((kink >= at.limits.least_kink) & (is_fast | is_back)) | is_half_turn;
}
inline bool MayBeJump(const Around& at) {
  const float step = at.steps[0];
  return (step >= at.limits.least_step) &
         (std::max(at.steps[-1], at.steps[1]) <= kMostBesideJump * step);
}
// False if SpreadAt finds none.
inline bool MayBeSpread(const Around& at) {
  const float least = std::min(at.steps[0], at.steps[1]);
  return (least >= at.limits.spread_step) &
         (at.steps[-1] <= at.limits.most_beside_spread * least);
}
// False if SidesOfJump finds none.
inline bool MayBeLocalJump(const Around& at) {
  const float* const kinks = at.kinks;
  const float kink = std::min(kinks[-1], kinks[0]);
  const float near =
      std::min(std::max(kinks[-3], kinks[-2]), std::max(kinks[1], kinks[2]));
  return (at.steps[0] >= at.limits.least_step) &
         (kink >= at.limits.local_kink) &
         (kink >= at.limits.local_square * near);
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
// The poses from two frames before that of a jump to the frame after it.
using JumpPoses = std::array<Quat<double>, 4>;
// The sides on which the track is much calmer than in the step to frame `t`, as
// bits of JumpSide. None if the steps before and after it differ too much: the
// track then has no usual way from which the step could depart.
int SidesOfJump(const MotionClip& clip, const Around& at,
                const JumpPoses& poses);
// A jump that is spread over 2 or 3 steps: they are far longer than those
// before and after them. The first one leads to the frame that `at` is around.
struct Spread {
  int steps = 1;
  // No person gets as fast and stops again within a frame.
  bool is_quick = false;
};
// One step if there is no such jump.
Spread SpreadAt(const Around& at);
// The step to frame `t` as an event.
TrackEvent StepEvent(const Around& at, int64_t t, Proof proof);
// True if an event that is proved by `compared` is large for its track. Call
// when all frames came.
bool IsProved(const MotionClip& clip, Proof proof, float compared,
              size_t track);

}  // namespace bvhmill
