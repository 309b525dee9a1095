#pragma once

// Finds the few frames of a block (motion_steps.h) at which a track may have a
// spike or a jump. Equal input gives equal bits on every CPU.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "bvhmill/math/motion_steps.h"

namespace bvhmill {

// The least steps and kinks of events, and the most that neighbours may be as a
// share of them; both are squares.
struct EventScreen {
  // Steps and kinks below both of these are no spikes, and no jumps of a single
  // step.
  float least_step = 0;
  float least_kink = 0;
  // A spike has a kink of at least this, or leads back: the square of the way
  // from the frame before to the frame after is at most this share of the
  // smaller step.
  float fast_kink = 0;
  float back_share = 0;
  // Both steps of a joint that makes half a turn and comes back are at least
  // this.
  float half_turn = HUGE_VALF;
  // A jump that departs from the steps near by has a kink of this or more.
  float local_kink = HUGE_VALF;
  // A jump that is spread over several steps.
  float spread_step = 0;
  float most_beside_spread = 0;
  // A smoothed spike of rotations.
  float pulse_step = HUGE_VALF;
  float most_beside_pulse = 0;
};
// The steps before and after a jump, as a share of it.
inline constexpr float kMostBesideJump = 0.0625F * 1.0001F;
// The rounding of a sum of two steps, as a share of it.
inline constexpr float kEventRounding = 1e-5F;

// Bit k of word n is the frame of index kStepLead + n * kStepParts + k.
using EventBits = std::array<uint16_t, kStepFrames / kStepParts>;

// The frames from kStepLead to end - 1 that may have an event. Reads from
// kStepLead - 1 to four values after `end`. Words of later frames are 0.
EventBits MayBeEvents(const float* steps, const float* kinks, size_t end,
                      const EventScreen& screen);

}  // namespace bvhmill
