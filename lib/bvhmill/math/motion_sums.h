#pragma once

// Sums and extremes of the steps of a block of frames (motion_steps.h). Equal
// input gives equal bits on every CPU.

#include <array>
#include <cstddef>
#include <cstdint>

#include "bvhmill/math/motion_steps.h"

namespace bvhmill {

// The frames at which a track turns back: kinks[t] is above steps[t] +
// steps[t+1]. Bit k of word n is the frame of index kStepLead +
// n * kStepParts + k.
using TurnBits = std::array<uint16_t, kStepFrames / kStepParts>;
static_assert(kStepParts == 16);
// The number of bits of each word.
using TurnCounts = std::array<uint8_t, kStepFrames / kStepParts>;
using WordSums = std::array<float, kStepFrames / kStepParts>;
// The frames to which a track makes no step, as TurnBits has them.
using RestBits = TurnBits;

// About the steps and kinks of the frames kStepLead .. end - 1.
struct StepSums {
  float max_step = 0;
  float max_kink = 0;
  // The largest step before or after which a track turns back by at least as
  // much: the most of min(steps[t], steps[t+1]) where kinks[t] is above their
  // sum.
  float max_turn = 0;
  TurnBits turns = {};
  TurnCounts turn_counts = {};
  int turn_count = 0;
  // The sums of sqrt(step) of the frames of each word.
  WordSums word_roots = {};
  RestBits rests = {};
  // Sums of sqrt(step) and sqrt(kink), and of the kinks themselves.
  double step_roots = 0;
  double kink_roots = 0;
  double kinks = 0;
};

// Per frame, sums over tracks, from kStepLead to end - 1. Each pointer is the
// value of index 0 of a block.
struct StepTotals {
  // Kinks above this count as this.
  float max_kink = 0;
  // Steps of at most this are no jump.
  float min_jump = 0;
  // Sums of sqrt(step).
  float* steps = nullptr;
  // Sums of sqrt(min(kink, max_kink)); and over tracks that turn back.
  float* kinks = nullptr;
  float* turning = nullptr;
  // Sums of the part of sqrt(step) above those of both neighbours, and the
  // number of tracks with a step above min_jump and above nine times those of
  // both neighbours.
  float* excess = nullptr;
  float* jumpers = nullptr;
};

// The largest values that count in CappedSums.
struct StepCaps {
  float step = 0;
  float kink = 0;
  // For the sum of the kinks themselves.
  float square = 0;
};

// Sums of sqrt(min(step, caps.step)), of sqrt(min(kink, caps.kink)) and of
// min(kink, caps.square), over the frames kStepLead .. end - 1.
struct CappedSums {
  double step_roots = 0;
  double kink_roots = 0;
  double kinks = 0;
};
CappedSums SumCapped(const float* steps, const float* kinks, size_t end,
                     const StepCaps& caps);

// Measures a track, and adds it to `totals` unless that is null. Reads steps
// from kStepLead - 1 to `end`. Writes the roots of the steps from kStepLead - 1
// on to `roots`, which has kStepStride values.
StepSums SumSteps(const float* steps, const float* kinks, size_t end,
                  float* roots, const StepTotals* totals);

}  // namespace bvhmill
