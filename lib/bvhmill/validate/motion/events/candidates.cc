#include "bvhmill/validate/motion/events/candidates.h"

#include "bvhmill/validate/motion/events/pulses.h"
#include "bvhmill/validate/motion/motion_units.h"

namespace bvhmill {

// One expression without branches: the compiler makes vectors of it.
Candidates FindCandidates(const float* steps, const float* kinks, size_t first,
                          size_t last, const EventLimits& limits) {
  Candidates candidates;
  const EventLimits own = limits;
  for (size_t i = first; i < last; ++i) {
    const Around at{steps + i, kinks + i, own};
    candidates[i] = (MayBeSpike(at) ? kMayBeSpike : 0) |
                    (MayBeJump(at) ? kMayBeJump : 0) |
                    (kinks[i] >= own.local_kink ? kMayBeLocal : 0) |
                    (MayBeSpread(at) ? kMayBeSpread : 0) |
                    (MayBePulse(at) ? kMayBePulse : 0);
  }
  return candidates;
}

size_t NextCandidate(const Candidates& candidates, size_t i, size_t last) {
  return FirstOf(i, last, [&](size_t at) { return candidates[at] != 0; });
}

}  // namespace bvhmill
