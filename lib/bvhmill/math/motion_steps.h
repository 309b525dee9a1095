#pragma once

// Steps of rotations and positions from frame to frame, for many frames at
// once. Arrays have one value per frame, kStepStride values in all: kStepLead
// frames that were there before, up to kStepFrames new ones, and room for
// kStepTail after the end of a clip.
//
// Equal input gives equal bits on every CPU: there is no fused multiply-add,
// and sums have kStepParts parts for vectors of any size.

#include <cmath>
#include <cstddef>
#include <span>

namespace bvhmill {

// The new frames begin at a whole vector.
inline constexpr size_t kStepLead = 16;
inline constexpr size_t kStepFrames = 256;
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
  // No |value| from kStepLead - 2 on is larger, and no difference of neighbours
  // there. Less than half a turn takes less time, with equal results.
  float largest = HUGE_VALF;
  float change = HUGE_VALF;
};

// With q the unit quaternion of the product of `columns`, the outermost
// rotation first, and dq(t) = q(t) - q(t-1), where the sign of q(t) is chosen
// so that q(t) . q(t-1) >= 0:
//
//   steps[t] = |dq(t)|^2             for t from kStepLead to end - 1
//   kinks[t] = |dq(t+1) - dq(t)|^2   for t from kStepLead - 1 to end - 2
//
// kinks[end - 1] becomes 0. Values before kStepLead - 2 do not matter. Each
// component of q is within 1e-6 of the exact one. Requires |angle| <=
// kMaxSinCosDegrees and at least one column.
void RotationSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks);

// The same with the vector p of positions in place of q. An axis without a
// column is 0; of several columns of one axis the last counts.
void PositionSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks);

}  // namespace bvhmill
