#include "bvhmill/math/motion_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "bvhmill/math/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bvhmill/math/motion_steps.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bvhmill {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums have eight parts: one vector of eight lanes, or two of four.
using D = hn::CappedTag<float, 8>;
using V = hn::Vec<D>;
using Mask = hn::Mask<D>;
constexpr size_t kParts = 8;
// The first index whose values matter: a kink at kStepLead - 1 needs three
// frames.
constexpr size_t kFrom = 4;
static_assert(kFrom + 2 < kStepLead && kStepStride % kParts == 0);

HWY_INLINE size_t Lanes() { return hn::Lanes(D()); }

// Calls body(i) for vectors of frames that cover from .. end - 1.
template <class Body>
HWY_INLINE void ForFrames(size_t from, size_t end, Body body) {
  for (size_t i = from; i < end; i += Lanes()) body(i);
}

HWY_INLINE V MulAddTwice(V a, V b, V c) { return hn::Add(hn::Mul(a, b), c); }

// Sine and cosine of half of `degrees`, both with the same unknown sign. The
// polynomials are those of sincos-inl.h, which explains them.
HWY_INLINE void HalfAngle(V degrees, V* sine, V* cosine) {
  const D d;
  const V half = hn::Mul(degrees, hn::Set(d, 0.5F));
  const V magic = hn::Set(d, 12582912.0F);
  const V n = hn::Sub(MulAddTwice(half, hn::Set(d, 1.0F / 180), magic), magic);
  const V r = hn::Sub(half, hn::Mul(n, hn::Set(d, 180.0F)));
  const V z = hn::Mul(r, r);
  V s =
      MulAddTwice(hn::Set(d, 0x1.d770a6p-72F), z, hn::Set(d, -0x1.c28eb8p-54F));
  V c =
      MulAddTwice(hn::Set(d, -0x1.ad9804p-81F), z, hn::Set(d, 0x1.f7e77ep-63F));
  s = MulAddTwice(s, z, hn::Set(d, 0x1.dad3f0p-37F));
  c = MulAddTwice(c, z, hn::Set(d, -0x1.619bacp-45F));
  s = MulAddTwice(s, z, hn::Set(d, -0x1.dbb808p-21F));
  c = MulAddTwice(c, z, hn::Set(d, 0x1.09b11ep-28F));
  s = MulAddTwice(s, z, hn::Set(d, 0x1.1df46ap-6F));
  c = MulAddTwice(c, z, hn::Set(d, -0x1.3f6a1ep-13F));
  *sine = hn::Mul(s, r);
  *cosine = MulAddTwice(c, z, hn::Set(d, 1.0F));
}

// Four components over frames: a quaternion (w, x, y, z), or (0, x, y, z).
struct Points {
  HWY_ALIGN float at[4][kStepStride + kParts];
};

// Multiplies q from the right by the half angle about `axis`.
HWY_INLINE void TurnAt(size_t i, const StepColumn& column, Points* q) {
  const D d;
  V s;
  V c;
  HalfAngle(hn::LoadU(d, column.values + i), &s, &c);
  float* const w = q->at[0] + i;
  float* const a = q->at[1 + column.axis] + i;
  float* const b = q->at[1 + (column.axis + 1) % 3] + i;
  float* const e = q->at[1 + (column.axis + 2) % 3] + i;
  const V w0 = hn::LoadU(d, w);
  const V a0 = hn::LoadU(d, a);
  const V b0 = hn::LoadU(d, b);
  const V e0 = hn::LoadU(d, e);
  hn::StoreU(hn::Sub(hn::Mul(w0, c), hn::Mul(a0, s)), d, w);
  hn::StoreU(hn::Add(hn::Mul(a0, c), hn::Mul(w0, s)), d, a);
  hn::StoreU(hn::Add(hn::Mul(b0, c), hn::Mul(e0, s)), d, b);
  hn::StoreU(hn::Sub(hn::Mul(e0, c), hn::Mul(b0, s)), d, e);
}

HWY_INLINE void Quaternions(std::span<const StepColumn> columns, size_t end,
                            Points* q) {
  const D d;
  const StepColumn& first = columns[0];
  // From 0 on, so that no vector goes past the end of an array.
  ForFrames(0, end, [&](size_t i) HWY_ATTR {
    V s;
    V c;
    HalfAngle(hn::LoadU(d, first.values + i), &s, &c);
    for (float* at : {q->at[1], q->at[2], q->at[3]}) {
      hn::StoreU(hn::Zero(d), d, at + i);
    }
    hn::StoreU(c, d, q->at[0] + i);
    hn::StoreU(s, d, q->at[1 + first.axis] + i);
  });
  for (const StepColumn& column : columns.subspan(1)) {
    ForFrames(0, end, [&](size_t i) HWY_ATTR { TurnAt(i, column, q); });
  }
}

// The differences e(t) = q(t) - s(t) q(t-1), where s is the sign of the product
// of the two, and their squared lengths.
template <size_t kFirst, bool kHasSign>
HWY_INLINE void Differences(const Points& q, size_t end, Points* e,
                            float* signs, float* steps) {
  const D d;
  ForFrames(kFrom + 1, end, [&](size_t i) HWY_ATTR {
    V now[4];
    V last[4];
    for (size_t k = kFirst; k < 4; ++k) {
      now[k] = hn::LoadU(d, q.at[k] + i);
      last[k] = hn::LoadU(d, q.at[k] + i - 1);
    }
    V sign = hn::Set(d, 1.0F);
    if constexpr (kHasSign) {
      V dot = hn::Mul(now[0], last[0]);
      for (size_t k = 1; k < 4; ++k) dot = MulAddTwice(now[k], last[k], dot);
      sign = hn::CopySign(sign, dot);
      hn::StoreU(sign, d, signs + i);
    }
    V square = hn::Zero(d);
    for (size_t k = kFirst; k < 4; ++k) {
      const V before = kHasSign ? hn::Mul(sign, last[k]) : last[k];
      const V difference = hn::Sub(now[k], before);
      hn::StoreU(difference, d, e->at[k] + i);
      square = MulAddTwice(difference, difference, square);
    }
    hn::StoreU(square, d, steps + i);
  });
}

template <size_t kFirst, bool kHasSign>
HWY_INLINE void SecondDifferences(const Points& e, size_t end,
                                  const float* signs, float* kinks) {
  const D d;
  ForFrames(kStepLead - 1, end - 1, [&](size_t i) HWY_ATTR {
    V square = hn::Zero(d);
    for (size_t k = kFirst; k < 4; ++k) {
      V next = hn::LoadU(d, e.at[k] + i + 1);
      if constexpr (kHasSign) {
        next = hn::Mul(next, hn::LoadU(d, signs + i + 1));
      }
      const V kink = hn::Sub(next, hn::LoadU(d, e.at[k] + i));
      square = MulAddTwice(kink, kink, square);
    }
    hn::StoreU(square, d, kinks + i);
  });
}

template <size_t kFirst, bool kHasSign>
HWY_INLINE void StepsOf(Points* q, size_t end, float* steps, float* kinks) {
  // Vectors may go past the last frame.
  HWY_ALIGN float new_steps[kStepStride + 2 * kParts];
  HWY_ALIGN float new_kinks[kStepStride + 2 * kParts];
  HWY_ALIGN float signs[kStepStride + 2 * kParts];
  Points e;
  for (size_t k = kFirst; k < 4; ++k) {
    std::fill_n(q->at[k] + end, kParts, q->at[k][end - 1]);
  }
  Differences<kFirst, kHasSign>(*q, end, &e, signs, new_steps);
  SecondDifferences<kFirst, kHasSign>(e, end, signs, new_kinks);
  std::copy(new_steps + kStepLead, new_steps + end, steps + kStepLead);
  std::copy(new_kinks + kStepLead - 1, new_kinks + end - 1,
            kinks + kStepLead - 1);
  kinks[end - 1] = 0;
}

void RotationSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks) {
  Points q;
  Quaternions(columns, end, &q);
  StepsOf<0, true>(&q, end, steps, kinks);
}

void PositionSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks) {
  Points p;
  for (size_t k = 1; k < 4; ++k) std::fill_n(p.at[k], end, 0.0F);
  for (const StepColumn& column : columns) {
    std::copy_n(column.values, end, p.at[1 + column.axis]);
  }
  StepsOf<1, false>(&p, end, steps, kinks);
}

// Adds up eight parts in one order for all vectors.
HWY_INLINE double SumParts(const float* parts) {
  double sum = 0;
  for (size_t i = 0; i < kParts; ++i) sum += double{parts[i]};
  return sum;
}

StepSums SumSteps(const float* steps, const float* kinks, size_t end) {
  const D d;
  HWY_ALIGN float parts[3][kParts];
  HWY_ALIGN float most[2][kParts];
  for (size_t part = 0; part < kParts; part += Lanes()) {
    V step_sum = hn::Zero(d);
    V kink_sum = hn::Zero(d);
    V square_sum = hn::Zero(d);
    V max_step = hn::Zero(d);
    V max_kink = hn::Zero(d);
    for (size_t i = kStepLead + part; i < end; i += kParts) {
      const V step = hn::LoadU(d, steps + i);
      const V kink = hn::LoadU(d, kinks + i - 1);
      step_sum = hn::Add(step_sum, hn::Sqrt(step));
      kink_sum = hn::Add(kink_sum, hn::Sqrt(kink));
      square_sum = hn::Add(square_sum, kink);
      max_step = hn::Max(max_step, step);
      max_kink = hn::Max(max_kink, kink);
    }
    hn::Store(step_sum, d, parts[0] + part);
    hn::Store(kink_sum, d, parts[1] + part);
    hn::Store(square_sum, d, parts[2] + part);
    hn::Store(max_step, d, most[0] + part);
    hn::Store(max_kink, d, most[1] + part);
  }
  StepSums sums;
  sums.max_step = *std::max_element(most[0], most[0] + kParts);
  sums.max_kink = *std::max_element(most[1], most[1] + kParts);
  sums.step_roots = SumParts(parts[0]);
  sums.kink_roots = SumParts(parts[1]);
  sums.kinks = SumParts(parts[2]);
  return sums;
}

void AddToTotals(const float* steps, const float* kinks, size_t end,
                 float max_kink, float min_step, StepTotals* totals) {
  const D d;
  HWY_ALIGN float roots[kStepStride + 2 * kParts];
  for (size_t i = 0; i < end; i += Lanes()) {
    hn::StoreU(hn::Sqrt(hn::LoadU(d, steps + i)), d, roots + i);
  }
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0F);
  const V cap = hn::Set(d, max_kink);
  const V least = hn::Set(d, std::sqrt(min_step));
  const V three = hn::Set(d, 3.0F);
  const auto add = [&](V v, float* to) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, to), v), d, to);
  };
  for (size_t i = kStepLead; i < end; i += Lanes()) {
    const V step = hn::LoadU(d, roots + i - 1);
    const V around =
        hn::Max(hn::LoadU(d, roots + i - 2), hn::LoadU(d, roots + i));
    const V kink = hn::LoadU(d, kinks + i - 1);
    const Mask jumps =
        hn::And(hn::Gt(step, hn::Mul(three, around)), hn::Gt(step, least));
    add(hn::LoadU(d, roots + i), totals->steps.data() + i);
    add(hn::Sqrt(hn::Min(kink, cap)), totals->kinks.data() + i - 1);
    add(hn::Max(hn::Sub(step, around), zero), totals->excess.data() + i - 1);
    add(hn::IfThenElseZero(jumps, one), totals->jumpers.data() + i - 1);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bvhmill
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bvhmill {
namespace {

HWY_EXPORT(RotationSteps);
HWY_EXPORT(PositionSteps);
HWY_EXPORT(SumSteps);
HWY_EXPORT(AddToTotals);

}  // namespace

void RotationSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks) {
  HWY_DYNAMIC_DISPATCH(RotationSteps)(columns, end, steps, kinks);
}

void PositionSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks) {
  HWY_DYNAMIC_DISPATCH(PositionSteps)(columns, end, steps, kinks);
}

StepSums SumSteps(const float* steps, const float* kinks, size_t end) {
  return HWY_DYNAMIC_DISPATCH(SumSteps)(steps, kinks, end);
}

void AddToTotals(const float* steps, const float* kinks, size_t end,
                 float max_kink, float min_step, StepTotals* totals) {
  HWY_DYNAMIC_DISPATCH(AddToTotals)
  (steps, kinks, end, max_kink, min_step, totals);
}

}  // namespace bvhmill
#endif  // HWY_ONCE
