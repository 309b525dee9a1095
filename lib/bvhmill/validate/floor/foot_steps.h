#pragma once

// Parts of a clip in which the whole figure is shifted: feet that stand move
// all the same. Private to validate/.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace bvhmill {

// The feet in a pair of frames. Lengths are in reaches, speeds in reaches a
// second.
struct FootStep {
  // The later frame of the pair, of the clip.
  int64_t frame = 0;
  // The lowest foot node in that frame, and the root above it.
  double low = 0;
  double legs = 0;
  // The speed of the slowest foot node, in any direction.
  double slowest = 0;
  // A foot touches the floor. Then `foot` is the slowest way of a node there,
  // across the direction of up, and `root` is that of the root.
  bool touches = false;
  std::array<double, 2> foot = {};
  std::array<double, 2> root = {};
};

// The steps of a clip, in order.
struct FootSteps {
  // From one step to the next. It may be longer than that of a pair.
  double seconds = 0;
  std::vector<FootStep> steps;
};

// Feet that slide in a part of a clip, and hardly elsewhere.
struct SlidePart {
  int64_t first = 0;
  int64_t last = 0;
  // As in FootSlide.
  double median = 0;
  double gain = 0;
};

struct SlideLimits {
  // The least duration and speed of a part.
  double seconds = 0;
  double speed = 0;
  // Its least speed, as a multiple of the median of the clip.
  double contrast = 0;
};

// The fastest part. O(steps x steps in `seconds`).
std::optional<SlidePart> FindSlidePart(const FootSteps& feet,
                                       const SlideLimits& limits);

// The whole figure is higher or lower in a part of a clip, and comes back.
struct ShiftPart {
  int64_t first = 0;
  int64_t last = 0;
  // Below 0 if it sinks.
  double rise = 0;
};

// The largest shift that is above `least`. While it begins and ends no foot
// stands, and the legs change their length by less than the share `legs` of the
// shift: so it is no jump, no crouch and no step on a stair. O(steps).
std::optional<ShiftPart> FindShiftPart(const FootSteps& feet, double least,
                                       double legs);

// The sum of all steps in which the whole figure is lifted at once, which
// are jumps of its root. O(steps).
double LiftedAtOnce(const FootSteps& feet);

}  // namespace bvhmill
