#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "bvhmill/math/motion_steps.h"
#include "bvhmill/math/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bvhmill/math/motion_sums.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bvhmill {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums have kStepParts parts: one vector, or several shorter ones.
using D = hn::CappedTag<float, kStepParts>;
using V = hn::Vec<D>;
using Mask = hn::Mask<D>;
constexpr size_t kParts = kStepParts;

HWY_INLINE size_t Lanes() { return hn::Lanes(D()); }

// Adds up all parts in one order for all vectors. Overwrites them.
HWY_INLINE float SumParts(float* parts) {
  const hn::CappedTag<float, kParts / 2> half;
  const hn::CappedTag<float, kParts / 4> quarter;
  static_assert(kParts == 16);
  for (size_t i = 0; i < kParts / 2; i += hn::Lanes(half)) {
    const auto other = hn::Load(half, parts + kParts / 2 + i);
    hn::Store(hn::Add(hn::Load(half, parts + i), other), half, parts + i);
  }
  for (size_t i = 0; i < kParts / 4; i += hn::Lanes(quarter)) {
    const auto other = hn::Load(quarter, parts + kParts / 4 + i);
    hn::Store(hn::Add(hn::Load(quarter, parts + i), other), quarter, parts + i);
  }
  return (parts[0] + parts[2]) + (parts[1] + parts[3]);
}

HWY_INLINE void AddTo(V v, float* sums) {
  const D d;
  hn::StoreU(hn::Add(hn::LoadU(d, sums), v), d, sums);
}

// A bit for each frame of a vector, the first one in bit 0.
HWY_INLINE uint32_t BitsOf(Mask mask) {
  const D d;
  uint8_t bytes[8] = {};
  static_assert(kParts <= 16);
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0] | static_cast<uint32_t>(bytes[1]) << 8;
}

// Sums of kParts parts, which are added up in one order for vectors of any
// size.
struct PartSum {
  HWY_ALIGN float parts[kParts] = {};

  HWY_INLINE void Put(V v, size_t part) { hn::Store(v, D(), parts + part); }
  HWY_INLINE float Sum() { return SumParts(parts); }
};

// Writes the roots of the steps from kStepLead - 1 to `end`.
HWY_INLINE void WriteRoots(const float* steps, size_t end, float* roots) {
  const D d;
  roots[kStepLead - 1] = std::sqrt(steps[kStepLead - 1]);
  for (size_t i = kStepLead; i < end; i += Lanes()) {
    hn::StoreU(hn::Sqrt(hn::LoadU(d, steps + i)), d, roots + i);
  }
  roots[end] = std::sqrt(steps[end]);
}

// The limits of StepTotals, as roots.
struct TotalLimits {
  explicit TotalLimits(const StepTotals* totals)
      : max_kink(totals == nullptr ? 0 : std::sqrt(totals->max_kink)),
        min_jump(totals == nullptr ? 0 : std::sqrt(totals->min_jump)) {}

  float max_kink;
  float min_jump;
};

HWY_INLINE void AddToTotals(const float* roots, V step_root, V kink_root,
                            Mask turns, size_t i, TotalLimits limits,
                            const StepTotals& totals) {
  const D d;
  const V capped = hn::Min(kink_root, hn::Set(d, limits.max_kink));
  AddTo(step_root, totals.steps + i);
  AddTo(capped, totals.kinks + i);
  AddTo(hn::IfThenElseZero(turns, capped), totals.turning + i);
  const V around =
      hn::Max(hn::LoadU(d, roots + i - 1), hn::LoadU(d, roots + i + 1));
  const Mask jumps =
      hn::And(hn::Gt(step_root, hn::Mul(hn::Set(d, 3.0F), around)),
              hn::Gt(step_root, hn::Set(d, limits.min_jump)));
  AddTo(hn::Max(hn::Sub(step_root, around), hn::Zero(d)), totals.excess + i);
  AddTo(hn::IfThenElseZero(jumps, hn::Set(d, 1.0F)), totals.jumpers + i);
}

template <bool kIsCounted>
HWY_INLINE StepSums Measure(const float* steps, const float* kinks, size_t end,
                            const float* roots, const StepTotals* totals) {
  const D d;
  const TotalLimits limits(totals);
  // A copy, which no store may change.
  const StepTotals sums_of = kIsCounted ? *totals : StepTotals();
  StepSums found;
  PartSum step_roots;
  PartSum kink_roots;
  PartSum squares;
  V max_step = hn::Zero(d);
  V max_kink = hn::Zero(d);
  V max_turn = hn::Zero(d);
  for (size_t part = 0; part < kParts; part += Lanes()) {
    V step_sum = hn::Zero(d);
    V kink_sum = hn::Zero(d);
    V square_sum = hn::Zero(d);
    for (size_t i = kStepLead + part; i < end; i += kParts) {
      const V step = hn::LoadU(d, steps + i);
      const V next = hn::LoadU(d, steps + i + 1);
      const V kink = hn::LoadU(d, kinks + i);
      const Mask turns = hn::Gt(kink, hn::Add(step, next));
      const V step_root = hn::LoadU(d, roots + i);
      const V kink_root = hn::Sqrt(kink);
      if constexpr (kIsCounted) {
        AddToTotals(roots, step_root, kink_root, turns, i, limits, sums_of);
      }
      step_sum = hn::Add(step_sum, step_root);
      kink_sum = hn::Add(kink_sum, kink_root);
      square_sum = hn::Add(square_sum, kink);
      max_step = hn::Max(max_step, step);
      max_kink = hn::Max(max_kink, kink);
      const V turn = hn::IfThenElseZero(turns, hn::Min(step, next));
      max_turn = hn::Max(max_turn, turn);
      const size_t word = (i - kStepLead) / kParts;
      found.turns[word] |= static_cast<uint16_t>(BitsOf(turns) << part);
      found.word_roots[word] += hn::GetLane(hn::SumOfLanes(d, step_root));
      const uint32_t rests = BitsOf(hn::Eq(step, hn::Zero(d)));
      found.rests[word] |= static_cast<uint16_t>(rests << part);
    }
    step_roots.Put(step_sum, part);
    kink_roots.Put(kink_sum, part);
    squares.Put(square_sum, part);
  }
  for (size_t i = 0; i < found.turns.size(); ++i) {
    found.turn_counts[i] = static_cast<uint8_t>(std::popcount(found.turns[i]));
    found.turn_count += found.turn_counts[i];
  }
  found.max_step = hn::GetLane(hn::MaxOfLanes(d, max_step));
  found.max_kink = hn::GetLane(hn::MaxOfLanes(d, max_kink));
  found.max_turn = hn::GetLane(hn::MaxOfLanes(d, max_turn));
  found.step_roots = step_roots.Sum();
  found.kink_roots = kink_roots.Sum();
  found.kinks = squares.Sum();
  return found;
}

CappedSums SumCapped(const float* steps, const float* kinks, size_t end,
                     const StepCaps& caps) {
  const D d;
  HWY_ALIGN float sums[3][kParts];
  const V step_cap = hn::Set(d, caps.step);
  const V kink_cap = hn::Set(d, caps.kink);
  const V square_cap = hn::Set(d, caps.square);
  for (size_t part = 0; part < kParts; part += Lanes()) {
    V step_sum = hn::Zero(d);
    V kink_sum = hn::Zero(d);
    V square_sum = hn::Zero(d);
    for (size_t i = kStepLead + part; i < end; i += kParts) {
      const V step = hn::Min(hn::LoadU(d, steps + i), step_cap);
      const V kink = hn::LoadU(d, kinks + i);
      step_sum = hn::Add(step_sum, hn::Sqrt(step));
      kink_sum = hn::Add(kink_sum, hn::Sqrt(hn::Min(kink, kink_cap)));
      square_sum = hn::Add(square_sum, hn::Min(kink, square_cap));
    }
    hn::Store(step_sum, d, sums[0] + part);
    hn::Store(kink_sum, d, sums[1] + part);
    hn::Store(square_sum, d, sums[2] + part);
  }
  return {SumParts(sums[0]), SumParts(sums[1]), SumParts(sums[2])};
}

StepSums SumSteps(const float* steps, const float* kinks, size_t end,
                  float* roots, const StepTotals* totals) {
  WriteRoots(steps, end, roots);
  return totals == nullptr ? Measure<false>(steps, kinks, end, roots, nullptr)
                           : Measure<true>(steps, kinks, end, roots, totals);
}

}  // namespace HWY_NAMESPACE
}  // namespace bvhmill
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bvhmill {
namespace {

HWY_EXPORT(SumCapped);
HWY_EXPORT(SumSteps);

}  // namespace

CappedSums SumCapped(const float* steps, const float* kinks, size_t end,
                     const StepCaps& caps) {
  return HWY_DYNAMIC_DISPATCH(SumCapped)(steps, kinks, end, caps);
}

StepSums SumSteps(const float* steps, const float* kinks, size_t end,
                  float* roots, const StepTotals* totals) {
  return HWY_DYNAMIC_DISPATCH(SumSteps)(steps, kinks, end, roots, totals);
}

}  // namespace bvhmill
#endif  // HWY_ONCE
