#pragma once

// The conditions of spikes and jumps: whether the steps and kinks of a track
// (motion_clip.h) around one frame are such an event.
//
//   const EventLimits limits = RotationLimits(clip);
//   const Around at = {&block.steps[i], &block.kinks[i], limits, is_inner};
//   if (MayBeSpike(at)) spike = SpikeAt(clip, at, t);
//   // When the sums of the whole clip are known:
//   if (IsProved(clip, spike->proof, spike->compared, track)) ...
//
// Sizes are in degrees for rotations, and in shares of the reach for positions.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "bvhmill/math/motion_steps.h"
#include "bvhmill/validate/motion/motion_clip.h"

namespace bvhmill {

// The comparison that an event must pass before it is reported.
enum class Proof : uint8_t {
  // Nothing: it is proved by its frames.
  kCertain,
  // The usual kink of the track: `compared` is many times as large.
  kCalmKink,
  // The mean step of the track: `compared` is many times as large, fewer times
  // if the pose comes back.
  kCalmStep,
  kCalmReturn,
  // It is no event of its own, but may be one end of a spike.
  kEndOfSpike,
};

// The sides of a jump on which the track is calm: its kinks are much smaller
// there. A very calm side proves the end of a spike.
enum JumpSide {
  kCalmBefore = 1,
  kCalmAfter = 2,
  kVeryCalmBefore = 4,
  kVeryCalmAfter = 8
};

// A spike: the pose leaves its path at `frame` and is back after `frames`
// frames. A jump has 0 frames: it does not come back.
struct TrackEvent {
  int32_t frame = 0;
  int32_t frames = 0;
  // Degrees, or shares of the reach.
  float size = 0;
  // The kink or step that `proof` compares, in the unit of `size`.
  float compared = 0;
  // The size that issues state.
  float stated = 0;
  Proof proof = Proof::kCertain;
  // Bits of JumpSide; 0 for a spike.
  uint8_t sides = 0;
  // A jump may be spread over 2 or 3 steps, the first of which leads to
  // `frame`.
  uint8_t steps = 1;
};

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
  // The least steps and kinks of an event, lowered a little because kernels
  // round. MayBeEvents skips frames below them.
  EventScreen screen;
  // Forms that compare with the frames near by: the least spike in degrees, and
  // the least difference of a jump from the mean of the steps before and after
  // it, in the unit of `step_unit`.
  double local_spike = HUGE_VAL;
  double local_jump = HUGE_VAL;
  // The least ratio of their kinks to those near by.
  double local_spike_ratio = 0;
  double local_jump_ratio = 0;
  // The square of the smaller ratio, a little lowered: MayBeLocalJump compares
  // squares.
  float local_square = 0;
  // A jump that is spread over several steps: each of them is `spread_ratio`
  // times those before and after the jump. Off below 24 frames a second, where
  // people move in so few steps.
  bool has_spread_forms = false;
  double spread_ratio = 0;
  // The same for a jump that is quicker than people: its steps exceed those
  // before and after it by `quick_step`, which follows from `quick_rate` and
  // the frame time.
  double quick_ratio = 0;
  double quick_rate = 0;
  double quick_step = HUGE_VAL;

  bool has_local_forms() const { return local_jump < HUGE_VAL; }
};

// The limits of the thresholds and the frame time of `clip`.
EventLimits RotationLimits(const MotionClip& clip);
// Requires a reach above 0.
EventLimits PositionLimits(const MotionClip& clip);

// The frames and the steps of a spike that a filter has smoothed.
inline constexpr int kPulseFrames = 3;
inline constexpr int kPulseSteps = kPulseFrames + 1;

// The frames on either side that the forms need which compare with the frames
// near by.
inline constexpr int64_t kLocalMargin = 4;

// The steps and kinks around a frame, in the unit of the limits.
struct Around {
  // Index 0 is the frame.
  const float* steps;
  const float* kinks;
  const EventLimits& limits;
  // The clip has kLocalMargin or more frames before and after the frame.
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

// Cheap tests: false only if the function of that name finds nothing, for
// example SpikeAt for MayBeSpike. MayBeEvents is their union for many frames.
inline bool MayBeSpike(const Around& at) {
  const EventScreen& screen = at.limits.screen;
  const float kink = at.kinks[0];
  const float both = at.steps[0] + at.steps[1];
  const float least = std::min(at.steps[0], at.steps[1]);
  const bool is_fast = kink >= screen.fast_kink;
  const bool is_back =
      2 * both - kink <= screen.back_share * least + kEventRounding * both;
  return (kink >= screen.least_kink && (is_fast || is_back)) ||
         least >= screen.half_turn;
}
inline bool MayBeJump(const Around& at) {
  const float step = at.steps[0];
  return step >= at.limits.screen.least_step &&
         std::max(at.steps[-1], at.steps[1]) <= kMostBesideJump * step;
}
inline bool MayBeSpread(const Around& at) {
  const float least = std::min(at.steps[0], at.steps[1]);
  return least >= at.limits.screen.spread_step &&
         at.steps[-1] <= at.limits.screen.most_beside_spread * least;
}
// False if the kink of the middle frame is one of SpikeAt, as at high rates.
inline bool MayBePulse(const Around& at) {
  const EventScreen& screen = at.limits.screen;
  const float* const steps = at.steps;
  const float least = std::min({steps[0], steps[1], steps[2], steps[3]});
  const float beside = std::max(steps[-1], steps[4]);
  return least >= screen.pulse_step && at.kinks[1] < screen.fast_kink &&
         beside <= screen.most_beside_pulse * least;
}
// False if SidesOfJump finds none.
inline bool MayBeLocalJump(const Around& at) {
  const float* const kinks = at.kinks;
  const float kink = std::min(kinks[-1], kinks[0]);
  const float near =
      std::min(std::max(kinks[-3], kinks[-2]), std::max(kinks[1], kinks[2]));
  return at.steps[0] >= at.limits.screen.least_step &&
         kink >= at.limits.screen.local_kink &&
         kink >= at.limits.local_square * near;
}

// The exact tests. `at` is around frame `t`; IsProved must confirm what they
// find.

// A spike of one frame, at frame `t`.
std::optional<TrackEvent> SpikeAt(const MotionClip& clip, const Around& at,
                                  int64_t t);
// A jump from frame t - 1 to `t`.
std::optional<TrackEvent> JumpAt(const MotionClip& clip, const Around& at,
                                 int64_t t);
// The sides on which the track is much calmer than at the step to frame `t`, as
// bits of JumpSide. 0 if the steps before and after it differ too much.
int SidesOfJump(const MotionClip& clip, const MotionTrack& track,
                const Around& at, int64_t t);
// A smoothed spike in frames `t` to t + 2: the joint leaves its path and comes
// back in four steps of about equal length.
std::optional<TrackEvent> PulseAt(const MotionClip& clip,
                                  const MotionTrack& track, const Around& at,
                                  int64_t t);
// A jump that is spread over 2 or 3 steps, which are far longer than those
// before and after them. The first one leads to frame `t`.
struct Spread {
  int steps = 1;
  // People do not speed up and stop as quickly.
  bool is_quick = false;
};
// Returns one step if there is no such jump.
Spread SpreadAt(const Around& at);
// The step to frame `t` as an event.
TrackEvent StepEvent(const Around& at, int64_t t, Proof proof);
// True if `compared` proves an event of `track`: see Proof. Requires the sums
// of the whole clip.
bool IsProved(const MotionClip& clip, Proof proof, float compared,
              size_t track);

}  // namespace bvhmill
