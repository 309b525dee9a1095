#pragma once

// The frames of a block at which a track may have an event. Private to
// validate/motion/.

#include <array>
#include <cstddef>
#include <cstdint>

#include "bvhmill/validate/motion/events/event_tests.h"

namespace bvhmill {

// Events that may be at a frame, as bits.
enum Candidate : int32_t {
  kMayBeSpike = 1,
  kMayBeJump = 2,
  kMayBeLocal = 4,
  kMayBeSpread = 8,
  kMayBePulse = 16
};
// By index of the block.
using Candidates = std::array<int32_t, kStepStride>;

// The candidates from index `first` to `last` - 1. Needs the steps of four
// frames after each.
Candidates FindCandidates(const float* steps, const float* kinks, size_t first,
                          size_t last, const EventLimits& limits);

// The first index from `i` to `last` - 1 that may have an event, or `last`.
size_t NextCandidate(const Candidates& candidates, size_t i, size_t last);

}  // namespace bvhmill
