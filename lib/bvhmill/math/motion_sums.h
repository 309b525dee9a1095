#pragma once

// Sums and extremes of the steps of a block of frames (motion_steps.h). Equal
// input gives equal bits on every CPU.

#include <array>
#include <cstddef>
#include <cstdint>

#include "bvhmill/math/motion_steps.h"

namespace bvhmill {

// The frames at which a track turns back: kinks[t] is above steps[t] +
// steps[t+1]. Bit k of word n is the frame of index kStepLead - 1 +
// n * kStepParts + k; `counts` has the number of bits of each word.
struct TurnBits {
  static constexpr size_t kWords = (kStepStride - kStepLead) / kStepParts;
  std::array<uint16_t, kWords> bits = {};
  std::array<uint8_t, kWords> counts = {};
};
static_assert(kStepParts == 16);

// About the steps of kStepLead .. end - 1 and the kinks of kStepLead - 1 ..
// end - 2.
struct StepSums {
  float max_step = 0;
  float min_step = 0;
  float max_kink = 0;
  // The largest step before or after which a track turns back by at least as
  // much: the most of min(steps[t], steps[t+1]) where kinks[t] is above their
  // sum.
  float max_turn = 0;
  TurnBits turns = {};
  // Sums of sqrt(step) and sqrt(kink), and of the kinks themselves.
  double step_roots = 0;
  double kink_roots = 0;
  double kinks = 0;
};

// Per frame, sums over tracks. Arrays of kStepStride values.
struct StepTotals {
  // Kinks above this count as this.
  float max_kink = 0;
  // Steps of at most this are no jump.
  float min_jump = 0;
  // Sums of sqrt(step), from kStepLead on.
  std::array<float, kStepStride> steps;
  // Sums of sqrt(min(kink, max_kink)), from kStepLead - 1 on.
  std::array<float, kStepStride> kinks;
  // The same over tracks that turn back.
  std::array<float, kStepStride> turning;
  // From kStepLead - 1 to end - 2: sums of the part of sqrt(step) above those
  // of both neighbours, and the number of tracks with a step above min_jump and
  // above nine times those of both neighbours.
  std::array<float, kStepStride> excess;
  std::array<float, kStepStride> jumpers;
};

// The reversals among frames from .. to - 1: the track turns back (kinks[t] >
// steps[t] + steps[t+1]) by a kink below `most_kink`, and both steps are
// `least_step` or more. Reads up to kStepTail values after `to`.
struct Reversals {
  size_t count = 0;
  // The indices of the first and the last one, if there is any.
  size_t first = 0;
  size_t last = 0;
  // The sum of sqrt(kink).
  double kink_roots = 0;
};
Reversals SumReversals(const float* steps, const float* kinks, size_t from,
                       size_t to, float least_step, float most_kink);

// The largest values that count in CappedSums.
struct StepCaps {
  float step = 0;
  float kink = 0;
  // For the sum of the kinks themselves.
  float square = 0;
};

// Sums of sqrt(min(step, caps.step)), of sqrt(min(kink, caps.kink)) and of
// min(kink, caps.square), over the frames of StepSums.
struct CappedSums {
  double step_roots = 0;
  double kink_roots = 0;
  double kinks = 0;
};
CappedSums SumCapped(const float* steps, const float* kinks, size_t end,
                     const StepCaps& caps);

// Measures a track, and adds it to `totals` unless that is null.
StepSums SumSteps(const float* steps, const float* kinks, size_t end,
                  StepTotals* totals);

}  // namespace bvhmill
