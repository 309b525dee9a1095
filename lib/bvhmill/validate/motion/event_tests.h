#pragma once

// Spikes and jumps of a track, and their conditions. Private to
// validate/motion/.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "bvhmill/math/linear.h"
#include "bvhmill/math/motion_events.h"
#include "bvhmill/validate/motion/motion_clip.h"

namespace bvhmill {

// How an event is proved.
enum class Proof : uint8_t {
  // By itself.
  kCertain,
  // If `compared` is many times the usual kink of the track.
  kCalmKink,
  // If `compared` is many times the mean step of the track; fewer times if the
  // pose comes back.
  kCalmStep,
  kCalmReturn,
  // Never. It may be one end of a spike.
  kEndOfSpike,
};

// The frames next to a jump in which the track is calm: its kinks are much
// smaller. Very calm ones prove the end of a spike.
enum JumpSide {
  kCalmBefore = 1,
  kCalmAfter = 2,
  kVeryCalmBefore = 4,
  kVeryCalmAfter = 8
};

// The pose leaves its way at `frame` and is back after `frames` frames. A jump
// has 0 frames: it does not come back.
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

// The steps before and after a jump, as a share of it.
inline constexpr double kJumpShare = 0.25;

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
  // The least steps and kinks of an event, a little lowered because kernels
  // round. MayBeEvents leaves out frames below them.
  EventScreen screen;
  // The forms that compare with the frames near by. The least spike, in
  // degrees, and the least difference of a jump from the mean of the steps
  // before and after it, in the unit of `step_unit`.
  double local_spike = HUGE_VAL;
  double local_jump = HUGE_VAL;
  // How many times those near by the kinks of each are, at least.
  double local_spike_ratio = 0;
  double local_jump_ratio = 0;
  // The square of how many times those near by the kinks of such a jump are, at
  // least.
  float local_square = 0;
  // A jump that is spread over several steps: each of them is this many times
  // those before and after the jump. Not where people make so few steps.
  bool has_spread_forms = false;
  double spread_ratio = 0;
  // The same of a jump that is quicker than people: its steps are longer than
  // those before and after it by `quick_step`, which follows from the rate.
  double quick_ratio = 0;
  double quick_rate = 0;
  double quick_step = HUGE_VAL;

  bool has_local_forms() const { return local_jump < HUGE_VAL; }
};

// The frames of a smoothed spike. Its steps are this share of its height, at
// least: half of it in a filtered spike of one frame, and less than a third
// where toes roll off.
inline constexpr int kPulseFrames = 3;
inline constexpr int kPulseSteps = kPulseFrames + 1;
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

// False if the function of that name finds nothing. MayBeEvents is the same for
// many frames.
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
// At high rates the middle frame of a pulse has a kink that proves a spike by
// itself.
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
// The sides on which the track is much calmer than in the step to frame `t`, as
// bits of JumpSide. None if the steps before and after it differ too much.
int SidesOfJump(const MotionClip& clip, const MotionTrack& track,
                const Around& at, int64_t t);
// The smoothed spike in frames `t` to t + 2, the first of which `at` is around:
// the joint leaves its way and comes back in four steps of about equal length.
std::optional<TrackEvent> PulseAt(const MotionClip& clip,
                                  const MotionTrack& track, const Around& at,
                                  int64_t t);
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
