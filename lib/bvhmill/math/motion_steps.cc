#include "bvhmill/math/motion_steps.h"

#include <algorithm>

#include "bvhmill/math/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bvhmill/math/motion_steps.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bvhmill {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kStepParts>;
// A single frame.
using One = hn::CappedTag<float, 1>;
using V = hn::Vec<D>;

// A kink at kStepLead - 1 needs the frame before it.
constexpr size_t kFirstStep = kStepLead - 1;

HWY_INLINE size_t Lanes() { return hn::Lanes(D()); }

// Calls body(i) for vectors of frames that cover from .. end - 1.
template <class Body>
HWY_INLINE void ForFrames(size_t from, size_t end, Body body) {
  for (size_t i = from; i < end; i += Lanes()) body(i);
}

static_assert(kStepLead % kStepParts == 0);

HWY_INLINE V MulAddTwice(V a, V b, V c) { return hn::Add(hn::Mul(a, b), c); }

// Angles up to this are below half a turn after any rounding: the nearest
// number of turns to their halves is 0.
constexpr float kLessThanHalfTurn = 179;

// Sine and cosine of half of `degrees`, both with the same unknown sign. The
// polynomials are those of sincos-inl.h, which explains them. Unless
// `kReduces`, requires |degrees| <= kLessThanHalfTurn.
template <bool kReduces = true>
HWY_INLINE void HalfAngle(V degrees, V* sine, V* cosine) {
  const D d;
  V r = hn::Mul(degrees, hn::Set(d, 0.5F));
  if constexpr (kReduces) {
    const V magic = hn::Set(d, 12582912.0F);
    const V n = hn::Sub(MulAddTwice(r, hn::Set(d, 1.0F / 180), magic), magic);
    r = hn::Sub(r, hn::Mul(n, hn::Set(d, 180.0F)));
  }
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
  HWY_ALIGN float at[4][kStepStride];
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

// The quaternions of three rotations about three axes. The signs of components
// may differ from the true ones, all frames alike, and so may the order of x, y
// and z: neither changes the length of a difference.
template <bool kReduces>
HWY_INLINE void ThreeTurns(std::span<const StepColumn> columns, size_t end,
                           Points* q) {
  const bool is_even = (columns[0].axis + 1) % 3 == columns[1].axis;
  const float parity = is_even ? 1.0F : -1.0F;
  const D d;
  ForFrames(0, end, [&](size_t i) HWY_ATTR {
    V s[3];
    V c[3];
    for (size_t k = 0; k < 3; ++k) {
      HalfAngle<kReduces>(hn::LoadU(d, columns[k].values + i), &s[k], &c[k]);
    }
    s[2] = hn::Mul(s[2], hn::Set(d, parity));
    const V cc = hn::Mul(c[0], c[1]);
    const V sc = hn::Mul(s[0], c[1]);
    const V cs = hn::Mul(c[0], s[1]);
    const V ss = hn::Mul(s[0], s[1]);
    hn::StoreU(hn::Sub(hn::Mul(cc, c[2]), hn::Mul(ss, s[2])), d, q->at[0] + i);
    hn::StoreU(hn::Add(hn::Mul(sc, c[2]), hn::Mul(cs, s[2])), d, q->at[1] + i);
    hn::StoreU(hn::Sub(hn::Mul(cs, c[2]), hn::Mul(sc, s[2])), d, q->at[2] + i);
    hn::StoreU(hn::Add(hn::Mul(ss, c[2]), hn::Mul(cc, s[2])), d, q->at[3] + i);
  });
}

// The quaternions of any number of rotations.
HWY_INLINE void AnyTurns(std::span<const StepColumn> columns, size_t end,
                         Points* q) {
  const StepColumn& first = columns[0];
  const D d;
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

HWY_INLINE bool HasThreeAxes(std::span<const StepColumn> columns) {
  return columns.size() == 3 && columns[0].axis != columns[1].axis &&
         columns[1].axis != columns[2].axis &&
         columns[0].axis != columns[2].axis;
}

HWY_INLINE bool AreShort(std::span<const StepColumn> columns) {
  float largest = 0;
  for (const StepColumn& column : columns) {
    largest = std::max(largest, column.largest);
  }
  return largest <= kLessThanHalfTurn;
}

// The quaternions of neighbours are less than a quarter turn apart, as vectors
// of four components: the angle between them is at most the half of all
// changes. Requires AreShort, since signs are unknown otherwise.
HWY_INLINE bool AreNear(std::span<const StepColumn> columns) {
  float change = 0;
  for (const StepColumn& column : columns) change += column.change;
  return change <= kLessThanHalfTurn;
}

// The differences e(t) = q(t) - s(t) q(t-1) of the vector of frames at `i`,
// where s is the sign of the product of the two, and their squared lengths.
template <class Tag>
HWY_INLINE void DifferencesAt(Tag d, const Points& q, size_t i, Points* e,
                              float* signs, float* steps) {
  using T = hn::Vec<Tag>;
  T now[4];
  T last[4];
  for (size_t k = 0; k < 4; ++k) {
    now[k] = hn::LoadU(d, q.at[k] + i);
    last[k] = hn::LoadU(d, q.at[k] + i - 1);
  }
  T dot = hn::Mul(now[0], last[0]);
  for (size_t k = 1; k < 4; ++k) dot = hn::Add(hn::Mul(now[k], last[k]), dot);
  const T sign = hn::CopySign(hn::Set(d, 1.0F), dot);
  hn::StoreU(sign, d, signs + i);
  T square = hn::Zero(d);
  for (size_t k = 0; k < 4; ++k) {
    const T difference = hn::Sub(now[k], hn::Mul(sign, last[k]));
    hn::StoreU(difference, d, e->at[k] + i);
    square = hn::Add(hn::Mul(difference, difference), square);
  }
  hn::StoreU(square, d, steps + i);
}

HWY_INLINE void SecondDifferences(const Points& e, size_t end,
                                  const float* signs, float* kinks) {
  const D d;
  ForFrames(kStepLead, end, [&](size_t i) HWY_ATTR {
    const V sign = hn::LoadU(d, signs + i);
    V square = hn::Zero(d);
    for (size_t k = 0; k < 4; ++k) {
      const V next = hn::Mul(hn::LoadU(d, e.at[k] + i), sign);
      const V kink = hn::Sub(next, hn::LoadU(d, e.at[k] + i - 1));
      square = MulAddTwice(kink, kink, square);
    }
    hn::StoreU(square, d, kinks + i - 1);
  });
}

// Steps and kinks of quaternions of either sign.
HWY_INLINE void StepsOf(const Points& q, size_t end, float* steps,
                        float* kinks) {
  HWY_ALIGN float signs[kStepStride];
  Points e;
  // The step of kStepLead - 1 is known from the block before.
  float known[kStepLead];
  DifferencesAt(One(), q, kFirstStep, &e, signs, known);
  ForFrames(kStepLead, end, [&](size_t i) HWY_ATTR {
    DifferencesAt(D(), q, i, &e, signs, steps);
  });
  SecondDifferences(e, end, signs, kinks);
}

// The same, with equal results, if all signs are 1. Starts with component
// kFirst.
template <size_t kFirst>
HWY_INLINE void NearStepsOf(const Points& q, size_t end, float* steps,
                            float* kinks) {
  const D d;
  ForFrames(kStepLead, end, [&](size_t i) HWY_ATTR {
    V step = hn::Zero(d);
    V kink = hn::Zero(d);
    for (size_t k = kFirst; k < 4; ++k) {
      const V last = hn::LoadU(d, q.at[k] + i - 1);
      const V to = hn::Sub(hn::LoadU(d, q.at[k] + i), last);
      const V from = hn::Sub(last, hn::LoadU(d, q.at[k] + i - 2));
      const V turn = hn::Sub(to, from);
      step = MulAddTwice(to, to, step);
      kink = MulAddTwice(turn, turn, kink);
    }
    hn::StoreU(step, d, steps + i);
    hn::StoreU(kink, d, kinks + i - 1);
  });
}

void RotationSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks) {
  Points q;
  const bool are_short = AreShort(columns);
  if (!HasThreeAxes(columns)) {
    AnyTurns(columns, end, &q);
  } else if (are_short) {
    ThreeTurns<false>(columns, end, &q);
  } else {
    ThreeTurns<true>(columns, end, &q);
  }
  if (are_short && AreNear(columns)) {
    NearStepsOf<0>(q, end, steps, kinks);
  } else {
    StepsOf(q, end, steps, kinks);
  }
  kinks[end - 1] = 0;
}

void PositionSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks) {
  Points p;
  for (size_t k = 1; k < 4; ++k) std::fill_n(p.at[k], end, 0.0F);
  for (const StepColumn& column : columns) {
    std::copy_n(column.values, end, p.at[1 + column.axis]);
  }
  NearStepsOf<1>(p, end, steps, kinks);
  kinks[end - 1] = 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace bvhmill
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bvhmill {
namespace {

HWY_EXPORT(RotationSteps);
HWY_EXPORT(PositionSteps);

}  // namespace

void RotationSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks) {
  HWY_DYNAMIC_DISPATCH(RotationSteps)(columns, end, steps, kinks);
}

void PositionSteps(std::span<const StepColumn> columns, size_t end,
                   float* steps, float* kinks) {
  HWY_DYNAMIC_DISPATCH(PositionSteps)(columns, end, steps, kinks);
}

}  // namespace bvhmill
#endif  // HWY_ONCE
