#pragma once

// Steps of rotations and positions from frame to frame, for many frames at
// once. Arrays have one value per frame, kStepStride values in all: kStepLead
// frames that were there before, up to kStepFrames new ones, and room for
// kStepTail after the end of a clip.
//
// Equal input gives equal bits on every CPU: there is no fused multiply-add,
// and sums have kStepParts parts for vectors of any size.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bvhmill {

inline constexpr size_t kStepLead = 8;
inline constexpr size_t kStepFrames = 64;
inline constexpr size_t kStepTail = 16;
inline constexpr size_t kStepStride = kStepLead + kStepFrames + kStepTail;
inline constexpr size_t kStepParts = 16;

// The index after `frames` new frames, rounded up. `end` of all functions is
// such an index, above kStepLead and at most kStepStride.
constexpr size_t StepEnd(size_t frames) {
  return kStepLead + (frames + kStepParts - 1) / kStepParts * kStepParts;
}

// A rotation about X, Y or Z (axis 0, 1, 2) by degrees, or a position along it.
struct StepColumn {
  const float* values = nullptr;
  int axis = 0;
};

// With q the unit quaternion of the product of `columns`, the outermost
// rotation first, and dq(t) = q(t) - q(t-1), where the sign of q(t) is chosen
// so that q(t) . q(t-1) >= 0:
//
//   steps[t] = |dq(t)|^2             for t from kStepLead to end - 1
//   kinks[t] = |dq(t+1) - dq(t)|^2   for t from kStepLead - 1 to end - 2
//
// kinks[end - 1] becomes 0. Values before index 4 do not matter. Each component
// of q is within 1e-6 of the exact one. Requires |angle| <= kMaxSinCosDegrees
// and at least one column.
void RotationSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks);

// The same with the vector p of positions in place of q. An axis without a
// column is 0; of several columns of one axis the last counts.
void PositionSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks);

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
  // From kStepLead - 1 to end - 2: sums of the part of sqrt(step) above those
  // of both neighbours, and the number of tracks with a step above min_jump and
  // above nine times those of both neighbours.
  std::array<float, kStepStride> excess;
  std::array<float, kStepStride> jumpers;
};

// Measures a track, and adds it to `totals` unless that is null.
StepSums SumSteps(const float* steps, const float* kinks, size_t end,
                  StepTotals* totals);

}  // namespace bvhmill
