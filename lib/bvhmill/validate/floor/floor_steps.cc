// The steps of the feet, from the pairs of frames of a FloorMeasure.

#include <cmath>
#include <limits>

#include "bvhmill/validate/floor/floor_measure.h"

namespace bvhmill {
namespace {

// Pairs of a long clip are farther apart, and parts of it fall between them.
constexpr int64_t kMostStride = 2;

// A foot touches the floor if it is this near to it, and a node of it is as
// near to the lowest one and rises or sinks slower: reaches, and reaches a
// second.
constexpr double kNearFloor = 0.05;
constexpr double kNearLowest = 0.06;
constexpr double kVertical = 0.3;

}  // namespace

void FloorMeasure::FindSteps(int direction, double floor, double dt) {
  const double seconds = static_cast<double>(step_) * dt;
  feet_.seconds = seconds * static_cast<double>(pairs_.stride());
  feet_.steps.clear();
  if (pairs_.stride() > kMostStride) return;
  for (int64_t pair = 0; pair < pairs_.count(); ++pair) {
    if (Counts(pair)) {
      feet_.steps.push_back(StepAt(pair, direction, floor, seconds));
    }
  }
}

FootStep FloorMeasure::StepAt(int64_t pair, int direction, double floor,
                              double seconds) const {
  const auto before = pairs_.before(pair);
  const auto after = pairs_.after(pair);
  const size_t up = AxisOfDirection(direction);
  const std::array<size_t, 2> across = {(up + 1) % 3, (up + 2) % 3};
  const double scale = scale_ / seconds;
  const auto speed = [&](size_t point, size_t axis) {
    return scale * (double{after[3 * point + axis]} - before[3 * point + axis]);
  };
  FootStep step;
  step.frame = step_ * pairs_.frame(pair);
  step.low = LowestAt(pair, direction);
  step.legs = HeightAt(after, root_, direction) - step.low;
  step.root = {speed(root_, across[0]), speed(root_, across[1])};
  const bool is_near = step.low <= floor + kNearFloor;
  double slowest = std::numeric_limits<double>::infinity();
  double slowest_across = slowest;
  for (size_t i = feet_from_; i < points_.size(); ++i) {
    const std::array<double, 2> way = {speed(i, across[0]),
                                       speed(i, across[1])};
    const double rise = speed(i, up);
    const double square = way[0] * way[0] + way[1] * way[1];
    slowest = std::min(slowest, square + rise * rise);
    if (!is_near || square >= slowest_across || std::fabs(rise) > kVertical ||
        HeightAt(after, i, direction) > step.low + kNearLowest) {
      continue;
    }
    slowest_across = square;
    step.touches = true;
    step.foot = way;
  }
  step.slowest = std::sqrt(slowest);
  return step;
}

}  // namespace bvhmill
