// ScanRows for 64-bit ARM, whose CPUs all have NEON.

#if defined(__aarch64__)

#include <arm_neon.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "bvhmill/text/lines.h"
#include "bvhmill/text/number.h"
#include "bvhmill/text/rows_targets.h"

namespace bvhmill {
namespace {

using namespace rows;

// The same 128 bits as another type of vector.
template <class To, class From>
To As(From v) {
  return std::bit_cast<To>(v);
}

struct Ops {
  static constexpr size_t kLanes = 1;
  using Vec = uint8x16_t;
  using Doubles = float64x2_t;
  struct Block {
    uint8x16_t v[4];
  };

  static Vec Set8(int value) { return vdupq_n_u8(static_cast<uint8_t>(value)); }
  // One bit for each byte, whose bits must all be equal.
  static uint64_t Bits64(const Block& b) {
    const Vec bit = As<Vec>(vdupq_n_u64(0x8040201008040201));
    const Vec low = vpaddq_u8(And(b.v[0], bit), And(b.v[1], bit));
    const Vec high = vpaddq_u8(And(b.v[2], bit), And(b.v[3], bit));
    const Vec sums = vpaddq_u8(low, high);
    return vgetq_lane_u64(As<uint64x2_t>(vpaddq_u8(sums, sums)), 0);
  }
  template <class F>
  static Block Each(const Block& b, F f) {
    return {{f(b.v[0]), f(b.v[1]), f(b.v[2]), f(b.v[3])}};
  }

  static Block LoadBlock(const char* from) {
    return {{Load(from), Load(from + 16), Load(from + 32), Load(from + 48)}};
  }
  static void StoreBlock(const Block& b, uint8_t* to) {
    for (int i = 0; i < 4; ++i) vst1q_u8(to + 16 * i, b.v[i]);
  }
  static uint64_t Separators(const Block& b) {
    return Bits64(Each(b, [](Vec v) { return vcleq_u8(v, Set8(' ')); }));
  }
  static uint64_t Equal(const Block& b, char c) {
    return Bits64(Each(b, [c](Vec v) { return vceqq_u8(v, Set8(c)); }));
  }
  static uint64_t EqualLetter(const Block& b, char lower) {
    return Equal(Each(b, [](Vec v) { return Or(v, Set8(0x20)); }), lower);
  }
  static uint64_t Others(const Block& /*b*/, const Block& values) {
    return Bits64(Each(values, [](Vec v) { return vcgeq_u8(v, Set8(0x80)); }));
  }
  using OtherBytes = Vec;
  static void NoteOthers(const Block& /*b*/, const Block& values,
                         OtherBytes* others) {
    *others = Or(*others, Or(Or(values.v[0], values.v[1]),
                             Or(values.v[2], values.v[3])));
  }
  static bool AnyOthers(OtherBytes others) { return vmaxvq_u8(others) >= 0x80; }
  static uint64_t LineEnds(const Block& b, const Block& /*values*/) {
    return Bits64(Each(b, [](Vec v) {
      return Or(vceqq_u8(v, Set8('\n')), vceqq_u8(v, Set8('\r')));
    }));
  }
  static uint64_t Extract(uint64_t bits, uint64_t mask) {
    return Extract128(bits, mask);
  }
  static Vec DigitValues(Vec b) {
    const Vec v = vsubq_u8(b, Set8('0'));
    const Vec no_digit = vcgeq_u8(v, Set8(10));
    // A byte above 127 keeps its highest bit, so the lookup returns 0.
    const Vec common = vqtbl1q_u8(Broadcast(kCommonBytes), And(b, Set8(0x8F)));
    const Vec known = Or(vceqq_u8(common, b), vceqq_u8(b, Set8('-')));
    const Vec dot = vceqq_u8(b, Set8('.'));
    const Vec rest = And(AndNot(dot, no_digit), Set8(kNotDigit));
    const Vec other = And(AndNot(known, no_digit), Set8(kOther));
    return Or(AndNot(no_digit, v), Or(rest, other));
  }
  static Block DigitValues(const Block& b) {
    return Each(b, [](Vec v) { return DigitValues(v); });
  }

  static size_t StorePositions(uint64_t bits, uint64_t marks, uint32_t offset,
                               uint32_t* to) {
    return StorePositions128(bits, marks, offset, to);
  }

  static Vec Load(const void* from) {
    return vld1q_u8(static_cast<const uint8_t*>(from));
  }
  static Vec Set64(uint64_t value) { return As<Vec>(vdupq_n_u64(value)); }
  static Vec And(Vec a, Vec b) { return vandq_u8(a, b); }
  // ~a & b.
  static Vec AndNot(Vec a, Vec b) { return vbicq_u8(b, a); }
  static Vec Or(Vec a, Vec b) { return vorrq_u8(a, b); }
  static Vec Xor(Vec a, Vec b) { return veorq_u8(a, b); }
  static Vec CutDigits(Vec w, Vec below, Vec ends) {
    return And(AndNot(ends, w), below);
  }
  static Vec Add64(Vec a, Vec b) {
    return As<Vec>(vaddq_u64(As<uint64x2_t>(a), As<uint64x2_t>(b)));
  }
  static Vec Sub64(Vec a, Vec b) {
    return As<Vec>(vsubq_u64(As<uint64x2_t>(a), As<uint64x2_t>(b)));
  }
  static Vec Negate(Vec a) { return As<Vec>(vnegq_s64(As<int64x2_t>(a))); }
  static Vec MulU32(Vec a, Vec b) {
    return As<Vec>(
        vmull_u32(vmovn_u64(As<uint64x2_t>(a)), vmovn_u64(As<uint64x2_t>(b))));
  }
  static Vec Shift(Vec a, int64x2_t left) {
    return As<Vec>(vshlq_u64(As<uint64x2_t>(a), left));
  }
  static Vec ShiftRight(Vec a, int bits) {
    return Shift(a, vdupq_n_s64(-bits));
  }
  static Vec ShiftRightBy(Vec a, Vec bits) {
    return Shift(a, vnegq_s64(As<int64x2_t>(bits)));
  }
  static Vec ShiftLeftBy(Vec a, Vec bits) {
    return Shift(a, As<int64x2_t>(bits));
  }
  static Vec Broadcast(const Lane& lane) { return Load(lane.data()); }
  static Vec Shuffle(Vec v, const Lane& order) {
    return vqtbl1q_u8(v, Broadcast(order));
  }
  static Vec MulAddBytes(Vec v, const Lane& weights) {
    const Vec w = Broadcast(weights);
    return As<Vec>(vpaddq_u16(vmull_u8(vget_low_u8(v), vget_low_u8(w)),
                              vmull_high_u8(v, w)));
  }
  static Vec MulAddWords(Vec v, const Lane& weights) {
    const auto a = As<int16x8_t>(v);
    const auto w = As<int16x8_t>(Broadcast(weights));
    return As<Vec>(vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(w)),
                              vmull_high_s16(a, w)));
  }
  static Vec PackWords(Vec a, Vec b) {
    return vcombine_u8(vqmovun_s16(As<int16x8_t>(a)),
                       vqmovun_s16(As<int16x8_t>(b)));
  }
  static Vec UnpackLow(Vec a, Vec b) {
    return As<Vec>(vzip1q_u64(As<uint64x2_t>(a), As<uint64x2_t>(b)));
  }
  static Vec UnpackHigh(Vec a, Vec b) {
    return As<Vec>(vzip2q_u64(As<uint64x2_t>(a), As<uint64x2_t>(b)));
  }
  static Vec LowHalves(Vec even, Vec odd) {
    return As<Vec>(vtrn1q_u32(As<uint32x4_t>(even), As<uint32x4_t>(odd)));
  }
  static Vec HighHalves(Vec even, Vec odd) {
    return As<Vec>(vtrn2q_u32(As<uint32x4_t>(even), As<uint32x4_t>(odd)));
  }
  static bool AnySign64(Vec v) { return SignBits(v) != 0; }
  static bool AnyBit(Vec v, uint32_t bits) {
    return vmaxvq_u32(vandq_u32(As<uint32x4_t>(v), vdupq_n_u32(bits))) != 0;
  }
  static uint32_t SignBits(Vec v) {
    const uint64x2_t signs = vshrq_n_u64(As<uint64x2_t>(v), 63);
    return static_cast<uint32_t>(vgetq_lane_u64(signs, 0) |
                                 (vgetq_lane_u64(signs, 1) << 1));
  }
  static Vec SignMask64(Vec v) {
    return As<Vec>(vshrq_n_s64(As<int64x2_t>(v), 63));
  }

  // As for AVX2: integers + decimals * 1e-7 as the sum of two floats.
  static void StoreFloats(Vec integers, Vec decimals, Vec pivots, float* to) {
    const float32x4_t high = vdupq_n_f32(kScaleHigh);
    const float32x4_t low = vdupq_n_f32(kScaleLow);
    const float32x4_t whole = vcvtq_f32_s32(As<int32x4_t>(integers));
    const float32x4_t rest = vcvtq_f32_s32(As<int32x4_t>(decimals));
    const float32x4_t p = vmulq_f32(rest, high);
    const float32x4_t error =
        vfmaq_f32(vfmaq_f32(vnegq_f32(p), rest, high), rest, low);
    const float32x4_t sum = vaddq_f32(whole, p);
    const float32x4_t lost = vsubq_f32(p, vsubq_f32(sum, whole));
    const float32x4_t result = vaddq_f32(sum, vaddq_f32(lost, error));
    const Vec sign = And(pivots, As<Vec>(vdupq_n_u32(0x80000000)));
    vst1q_f32(to, As<float32x4_t>(Or(As<Vec>(result), sign)));
  }

  static Vec LoadWindows(const uint8_t* base, const uint32_t* pivots) {
    return Load(base + static_cast<uint16_t>(pivots[0]));
  }
  static Vec LoadEights(const uint8_t* base, const uint32_t* pivots) {
    return vcombine_u8(vld1_u8(base + static_cast<uint16_t>(pivots[0])),
                       vld1_u8(base + static_cast<uint16_t>(pivots[1])));
  }

  static Doubles SetD(double value) { return vdupq_n_f64(value); }
  static Doubles MulD(Doubles a, Doubles b) { return vmulq_f64(a, b); }
  static Doubles FmaD(Doubles a, Doubles b, Doubles c) {
    return vfmaq_f64(c, a, b);
  }
  static Vec Bits(Doubles d) { return As<Vec>(d); }
  static Doubles ToDoubles(Vec v) { return vcvtq_f64_u64(As<uint64x2_t>(v)); }
  static Doubles LookUp(const double* table, Vec index) {
    const auto i = As<uint64x2_t>(index);
    return vcombine_f64(vld1_f64(table + vgetq_lane_u64(i, 0)),
                        vld1_f64(table + vgetq_lane_u64(i, 1)));
  }
  static uint32_t DifferAsFloats(Doubles a, Doubles b) {
    const uint32x2_t equal = vceq_f32(vcvt_f32_f64(a), vcvt_f32_f64(b));
    return (vget_lane_u32(equal, 0) == 0 ? 1U : 0U) |
           (vget_lane_u32(equal, 1) == 0 ? 2U : 0U);
  }
  static void StoreWide(Doubles values, const uint32_t* pivots, float* to) {
    const uint32x2_t sign = vand_u32(vld1_u32(pivots), vdup_n_u32(0x80000000));
    const auto bits = std::bit_cast<uint32x2_t>(vcvt_f32_f64(values));
    vst1_f32(to, std::bit_cast<float32x2_t>(vorr_u32(bits, sign)));
  }
};

#include "bvhmill/text/rows-inl.h"

}  // namespace

RowsScan ScanRows128(std::string_view text, size_t width, std::span<float> out,
                     RowsWorkspace::Buffers* buffers) {
  return ScanChunks(text, width, out, buffers);
}

RowsScan ScanRowsBlock128(std::string_view block, size_t width,
                          RowsPlacer* placer, std::string_view ahead,
                          RowsWorkspace::Buffers* buffers) {
  return ReadBlock(block, width, placer, ahead, buffers);
}

}  // namespace bvhmill
#endif  // defined(__aarch64__)
