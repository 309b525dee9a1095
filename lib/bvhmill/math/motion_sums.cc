#include "bvhmill/math/motion_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

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

// Adds the roots of steps and kinks to `totals` if `kIsCounted`, and writes
// those of steps to `roots`.
template <bool kIsCounted>
HWY_INLINE StepSums Measure(const float* steps, const float* kinks, size_t end,
                            float* roots, StepTotals* totals) {
  const D d;
  const V cap = hn::Set(d, kIsCounted ? std::sqrt(totals->max_kink) : 0.0F);
  StepSums found;
  HWY_ALIGN float sums[3][kParts];
  V max_step = hn::Zero(d);
  V min_step = hn::LoadU(d, steps + kStepLead);
  V max_kink = hn::Zero(d);
  V max_turn = hn::Zero(d);
  for (size_t part = 0; part < kParts; part += Lanes()) {
    V step_sum = hn::Zero(d);
    V kink_sum = hn::Zero(d);
    V square_sum = hn::Zero(d);
    for (size_t i = kStepLead + part; i < end; i += kParts) {
      const V step = hn::LoadU(d, steps + i);
      const V last = hn::LoadU(d, steps + i - 1);
      const V kink = hn::LoadU(d, kinks + i - 1);
      const Mask turns = hn::Gt(kink, hn::Add(step, last));
      const V step_root = hn::Sqrt(step);
      const V kink_root = hn::Sqrt(kink);
      if constexpr (kIsCounted) {
        hn::StoreU(step_root, d, roots + i);
        AddTo(step_root, totals->steps.data() + i);
        const V capped = hn::Min(kink_root, cap);
        AddTo(capped, totals->kinks.data() + i - 1);
        AddTo(hn::IfThenElseZero(turns, capped),
              totals->turning.data() + i - 1);
      }
      step_sum = hn::Add(step_sum, step_root);
      kink_sum = hn::Add(kink_sum, kink_root);
      square_sum = hn::Add(square_sum, kink);
      max_step = hn::Max(max_step, step);
      min_step = hn::Min(min_step, step);
      max_kink = hn::Max(max_kink, kink);
      const V turn = hn::IfThenElseZero(turns, hn::Min(step, last));
      max_turn = hn::Max(max_turn, turn);
      found.turns.bits[(i - kStepLead) / kParts] |=
          static_cast<uint16_t>(BitsOf(turns) << part);
    }
    hn::Store(step_sum, d, sums[0] + part);
    hn::Store(kink_sum, d, sums[1] + part);
    hn::Store(square_sum, d, sums[2] + part);
  }
  for (size_t i = 0; i < TurnBits::kWords; ++i) {
    found.turns.counts[i] =
        static_cast<uint8_t>(std::popcount(found.turns.bits[i]));
  }
  found.max_step = hn::GetLane(hn::MaxOfLanes(d, max_step));
  found.min_step = hn::GetLane(hn::MinOfLanes(d, min_step));
  found.max_kink = hn::GetLane(hn::MaxOfLanes(d, max_kink));
  found.max_turn = hn::GetLane(hn::MaxOfLanes(d, max_turn));
  found.step_roots = SumParts(sums[0]);
  found.kink_roots = SumParts(sums[1]);
  found.kinks = SumParts(sums[2]);
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
      const V kink = hn::LoadU(d, kinks + i - 1);
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

// `roots` are those of steps, from kStepLead - 2 on.
HWY_INLINE void AddJumps(const float* roots, size_t end, StepTotals* totals) {
  const D d;
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0F);
  const V least = hn::Set(d, std::sqrt(totals->min_jump));
  const V three = hn::Set(d, 3.0F);
  for (size_t i = kStepLead; i < end; i += Lanes()) {
    const V step = hn::LoadU(d, roots + i - 1);
    const V around =
        hn::Max(hn::LoadU(d, roots + i - 2), hn::LoadU(d, roots + i));
    const Mask jumps =
        hn::And(hn::Gt(step, hn::Mul(three, around)), hn::Gt(step, least));
    AddTo(hn::Max(hn::Sub(step, around), zero), totals->excess.data() + i - 1);
    AddTo(hn::IfThenElseZero(jumps, one), totals->jumpers.data() + i - 1);
  }
}

StepSums SumSteps(const float* steps, const float* kinks, size_t end,
                  StepTotals* totals) {
  if (totals == nullptr) {
    return Measure<false>(steps, kinks, end, nullptr, nullptr);
  }
  HWY_ALIGN float roots[kStepStride];
  for (const size_t i : {kStepLead - 2, kStepLead - 1}) {
    roots[i] = std::sqrt(steps[i]);
  }
  const StepSums sums = Measure<true>(steps, kinks, end, roots, totals);
  AddJumps(roots, end, totals);
  return sums;
}

Reversals SumReversals(const float* steps, const float* kinks, size_t from,
                       size_t to, float least_step, float most_kink) {
  const D d;
  HWY_ALIGN float sums[kParts];
  const V least = hn::Set(d, least_step);
  const V most = hn::Set(d, most_kink);
  Reversals found;
  found.first = to;
  for (size_t part = 0; part < kParts; part += Lanes()) {
    V sum = hn::Zero(d);
    for (size_t i = from + part; i < to; i += kParts) {
      const V step = hn::LoadU(d, steps + i);
      const V next = hn::LoadU(d, steps + i + 1);
      const V kink = hn::LoadU(d, kinks + i);
      const Mask turns =
          hn::And(hn::Gt(kink, hn::Add(step, next)), hn::Lt(kink, most));
      const Mask is_large = hn::Ge(hn::Min(step, next), least);
      const Mask is_reversal =
          hn::And(hn::And(turns, is_large), hn::FirstN(d, to - i));
      const uint32_t bits = BitsOf(is_reversal);
      if (bits == 0) continue;
      found.count += static_cast<size_t>(std::popcount(bits));
      const auto first = static_cast<size_t>(std::countr_zero(bits));
      const auto width = static_cast<size_t>(std::bit_width(bits));
      found.first = std::min(found.first, i + first);
      found.last = std::max(found.last, i + width - 1);
      sum = hn::Add(sum, hn::IfThenElseZero(is_reversal, hn::Sqrt(kink)));
    }
    hn::Store(sum, d, sums + part);
  }
  found.kink_roots = SumParts(sums);
  return found;
}

}  // namespace HWY_NAMESPACE
}  // namespace bvhmill
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bvhmill {
namespace {

HWY_EXPORT(SumReversals);
HWY_EXPORT(SumCapped);
HWY_EXPORT(SumSteps);

}  // namespace

Reversals SumReversals(const float* steps, const float* kinks, size_t from,
                       size_t to, float least_step, float most_kink) {
  return HWY_DYNAMIC_DISPATCH(SumReversals)(steps, kinks, from, to, least_step,
                                            most_kink);
}

CappedSums SumCapped(const float* steps, const float* kinks, size_t end,
                     const StepCaps& caps) {
  return HWY_DYNAMIC_DISPATCH(SumCapped)(steps, kinks, end, caps);
}

StepSums SumSteps(const float* steps, const float* kinks, size_t end,
                  StepTotals* totals) {
  return HWY_DYNAMIC_DISPATCH(SumSteps)(steps, kinks, end, totals);
}

}  // namespace bvhmill
#endif  // HWY_ONCE
