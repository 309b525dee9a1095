#pragma once

// Kernels for the steps of rotations and positions from frame to frame, for a
// block of many frames at once:
//
//   TransposeRows(rows, frames, channels, stride, values);  // columns
//   RotationSteps(columns, end, steps, kinks);              // of one joint
//   StepSums sums = SumSteps(steps, kinks, end, roots, nullptr);
//   EventBits events = MayBeEvents(steps, kinks, end, screen);
//
// Arrays have one value per frame, kStepStride values in all: kStepLead frames
// of the block before, up to kStepFrames new ones, and room for kStepTail after
// the end of a clip.
//
// Equal input gives equal bits on every CPU: the kernels use no fused
// multiply-add, and sums have kStepParts parts for vectors of any size.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

// Steps and kinks.

// A rotation about X, Y or Z (axis 0, 1, 2) in degrees, or a position along it.
struct StepColumn {
  const float* values = nullptr;
  int axis = 0;
  // Bounds of |value| and of the differences of neighbours, from kStepLead - 2
  // on. Below half a turn the kernels are faster, with equal results.
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

// The same with the position vector p in place of q. An axis without a column
// is 0; of several columns of one axis the last one counts.
void PositionSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks);

// Columns.

// Transposes `frames` rows of `width` values: rows[f * width + c] goes to
// values[c * stride + f].
void TransposeRows(const float* rows, size_t frames, size_t width,
                   size_t stride, float* values);

// The extremes of a column, from kStepLead on.
struct ColumnRange {
  // The largest |value|, and the largest |difference| to the frame before. Not
  // finite if a value is not, or if a difference overflows.
  float largest = 0;
  float change = 0;
};

// Measures `width` columns; column c begins at values[c * stride].
void MeasureColumns(const float* values, size_t width, size_t stride,
                    size_t end, ColumnRange* ranges);

// The largest distance of a value from the nearest multiple of `period`, as a
// share of `period`: 0 to 0.5. For the frames from kStepLead - 1 on. Exact
// within 1e-4 for values up to 1e4 periods.
float LargestRemainder(const float* values, size_t end, float period);

// Sums.

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

// Sums and extremes of the steps and kinks of the frames kStepLead .. end - 1.
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

// Sums over tracks for each frame from kStepLead to end - 1. Each pointer is to
// the value of index 0 of the block.
struct StepTotals {
  // A larger kink counts as this.
  float max_kink = 0;
  // Steps of at most this are no jump.
  float min_jump = 0;
  // Sums of sqrt(step).
  float* steps = nullptr;
  // Sums of sqrt(min(kink, max_kink)) over all tracks, and over those that turn
  // back.
  float* kinks = nullptr;
  float* turning = nullptr;
  // Sums of the part of sqrt(step) above those of both neighbours, and the
  // number of tracks with a step above min_jump and above nine times those of
  // both neighbours.
  float* excess = nullptr;
  float* jumpers = nullptr;
};

// Measures a track, and adds it to `totals` unless that is null. Reads steps
// from kStepLead - 1 to `end`. Writes the square roots of the steps from
// kStepLead - 1 to `end` to `roots`, which has kStepStride values.
StepSums SumSteps(const float* steps, const float* kinks, size_t end,
                  float* roots, const StepTotals* totals);

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

// Events: the few frames at which a track may have a spike or a jump.

// The least steps and kinks of events, and the largest steps beside them as a
// share of theirs. All are squares.
struct EventScreen {
  // Frames whose step and kink are below these have no spike, and no jump of a
  // single step.
  float least_step = 0;
  float least_kink = 0;
  // A spike has a kink of at least `fast_kink`, or leads back: the square of
  // the way from the frame before to the frame after is at most the share
  // `back_share` of the smaller step.
  float fast_kink = 0;
  float back_share = 0;
  // The least steps of a joint that makes half a turn and comes back.
  float half_turn = HUGE_VALF;
  // The least kink of a jump that departs from the steps near by.
  float local_kink = HUGE_VALF;
  // A jump that is spread over several steps.
  float spread_step = 0;
  float most_beside_spread = 0;
  // A smoothed spike of rotations.
  float pulse_step = HUGE_VALF;
  float most_beside_pulse = 0;
};
// The largest steps before and after a jump, as a share of it (squares).
inline constexpr float kMostBesideJump = 0.0625F * 1.0001F;
// The rounding of a sum of two steps, as a share of it.
inline constexpr float kEventRounding = 1e-5F;

// Bit k of word n is the frame of index kStepLead + n * kStepParts + k.
using EventBits = std::array<uint16_t, kStepFrames / kStepParts>;

// The frames from kStepLead to end - 1 that may have an event, with room for
// rounding. Reads from kStepLead - 1 to four values after `end`. Words of later
// frames are 0.
EventBits MayBeEvents(const float* steps, const float* kinks, size_t end,
                      const EventScreen& screen);

}  // namespace bvhmill
