// Sine and cosine of many angles at once. Included once per Highway target, so
// it has no #pragma once.

#include <hwy/highway.h>

#if defined(BVHMILL_MATH_SINCOS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BVHMILL_MATH_SINCOS_INL_H_
#undef BVHMILL_MATH_SINCOS_INL_H_
#else
#define BVHMILL_MATH_SINCOS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace bvhmill {
namespace HWY_NAMESPACE {

// Sine and cosine of `degrees`, each within 1.3e-7 of the true value for
// |degrees| <= kMaxSinCosDegrees (math/sincos.h).
//
// Let n be the integer nearest to x / 180. Then r = x - 180 n is exact: 180 n
// is exact because n has at most 18 bits and 180 = 45 * 4, and the difference
// of two numbers that near to each other is exact. sin x = (-1)^n sin r, and
// the same holds for the cosine, so reducing by half turns needs no choice
// between sine and cosine.
//
// The polynomials are minimax fits of sin(r) / r and cos(r) in r^2 for |r| <=
// 90, found with the Remez algorithm and rounded to float. They have degrees 9
// and 10 in r.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE void SinCosDegrees(D d, V degrees, V* sine, V* cosine) {
  namespace hn = hwy::HWY_NAMESPACE;
  // Adding 1.5 * 2^23 rounds to an integer and leaves n in the low bits.
  const V magic = hn::Set(d, 12582912.0F);
  const V q = hn::MulAdd(degrees, hn::Set(d, 1.0F / 180), magic);
  const V n = hn::Sub(q, magic);
  const V r = hn::NegMulAdd(n, hn::Set(d, 180.0F), degrees);
  const hn::RebindToUnsigned<D> du;
  const V sign = hn::BitCast(d, hn::ShiftLeft<31>(hn::BitCast(du, q)));
  const V z = hn::Mul(r, r);
  V s =
      hn::MulAdd(hn::Set(d, 0x1.d770a6p-72F), z, hn::Set(d, -0x1.c28eb8p-54F));
  V c =
      hn::MulAdd(hn::Set(d, -0x1.ad9804p-81F), z, hn::Set(d, 0x1.f7e77ep-63F));
  s = hn::MulAdd(s, z, hn::Set(d, 0x1.dad3f0p-37F));
  c = hn::MulAdd(c, z, hn::Set(d, -0x1.619bacp-45F));
  s = hn::MulAdd(s, z, hn::Set(d, -0x1.dbb808p-21F));
  c = hn::MulAdd(c, z, hn::Set(d, 0x1.09b11ep-28F));
  s = hn::MulAdd(s, z, hn::Set(d, 0x1.1df46ap-6F));
  c = hn::MulAdd(c, z, hn::Set(d, -0x1.3f6a1ep-13F));
  *sine = hn::Mul(s, hn::Xor(r, sign));
  *cosine = hn::Xor(hn::MulAdd(c, z, hn::Set(d, 1.0F)), sign);
}

}  // namespace HWY_NAMESPACE
}  // namespace bvhmill
HWY_AFTER_NAMESPACE();

#endif  // BVHMILL_MATH_SINCOS_INL_H_
