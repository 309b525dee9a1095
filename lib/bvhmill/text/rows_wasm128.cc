// ScanRows for WebAssembly with vectors of 128 bits.

#if defined(__wasm_simd128__)

#include <wasm_simd128.h>

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

struct Ops {
  static constexpr size_t kLanes = 1;
  using Vec = v128_t;
  using Doubles = v128_t;
  struct Block {
    v128_t v[4];
  };

  static Vec Set8(int value) {
    return wasm_i8x16_splat(static_cast<int8_t>(value));
  }
  static uint64_t TopBits(const Block& b) {
    const auto bits = [&](int i) {
      return uint64_t{wasm_i8x16_bitmask(b.v[i])};
    };
    return bits(0) | (bits(1) << 16) | (bits(2) << 32) | (bits(3) << 48);
  }
  template <class F>
  static Block Each(const Block& b, F f) {
    return {{f(b.v[0]), f(b.v[1]), f(b.v[2]), f(b.v[3])}};
  }

  static Block LoadBlock(const char* from) {
    return {{Load(from), Load(from + 16), Load(from + 32), Load(from + 48)}};
  }
  static void StoreBlock(const Block& b, uint8_t* to) {
    for (int i = 0; i < 4; ++i) wasm_v128_store(to + 16 * i, b.v[i]);
  }
  static uint64_t Separators(const Block& b) {
    return TopBits(Each(b, [](Vec v) { return wasm_u8x16_le(v, Set8(' ')); }));
  }
  static uint64_t Equal(const Block& b, char c) {
    return TopBits(Each(b, [c](Vec v) { return wasm_i8x16_eq(v, Set8(c)); }));
  }
  static uint64_t EqualLetter(const Block& b, char lower) {
    return Equal(Each(b, [](Vec v) { return Or(v, Set8(0x20)); }), lower);
  }
  static uint64_t Others(const Block& /*b*/, const Block& values) {
    return TopBits(values);
  }
  using OtherBytes = Vec;
  static void NoteOthers(const Block& /*b*/, const Block& values,
                         OtherBytes* others) {
    *others = Or(*others, Or(Or(values.v[0], values.v[1]),
                             Or(values.v[2], values.v[3])));
  }
  static bool AnyOthers(OtherBytes others) {
    return wasm_i8x16_bitmask(others) != 0;
  }
  static uint64_t LineEnds(const Block& b, const Block& /*values*/) {
    return TopBits(Each(b, [](Vec v) {
      return Or(wasm_i8x16_eq(v, Set8('\n')), wasm_i8x16_eq(v, Set8('\r')));
    }));
  }
  static uint64_t Extract(uint64_t bits, uint64_t mask) {
    return Extract128(bits, mask);
  }
  static Vec DigitValues(Vec b) {
    const Vec v = wasm_i8x16_sub(b, Set8('0'));
    const Vec no_digit = wasm_u8x16_ge(v, Set8(10));
    // kCommonBytes, with an entry for 0xFF that no byte has.
    const Vec common = wasm_i8x16_const(' ', -1, -1, -1, -1, -1, -1, -1, -1,
                                        '\t', '\n', -1, -1, '\r', '.', 0);
    const Vec known =
        Or(wasm_i8x16_eq(wasm_i8x16_swizzle(common, And(b, Set8(15))), b),
           wasm_i8x16_eq(b, Set8('-')));
    const Vec dot = wasm_i8x16_eq(b, Set8('.'));
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

  static Vec Load(const void* from) { return wasm_v128_load(from); }
  static Vec Set64(uint64_t value) {
    return wasm_i64x2_splat(static_cast<int64_t>(value));
  }
  static Vec And(Vec a, Vec b) { return wasm_v128_and(a, b); }
  static Vec AndNot(Vec a, Vec b) { return wasm_v128_andnot(b, a); }
  static Vec Or(Vec a, Vec b) { return wasm_v128_or(a, b); }
  static Vec Xor(Vec a, Vec b) { return wasm_v128_xor(a, b); }
  static Vec CutDigits(Vec w, Vec below, Vec ends) {
    return And(AndNot(ends, w), below);
  }
  static Vec Add64(Vec a, Vec b) { return wasm_i64x2_add(a, b); }
  static Vec Sub64(Vec a, Vec b) { return wasm_i64x2_sub(a, b); }
  static Vec Negate(Vec a) { return wasm_i64x2_neg(a); }
  static Vec MulU32(Vec a, Vec b) {
    return wasm_u64x2_extmul_low_u32x4(wasm_i32x4_shuffle(a, a, 0, 2, 0, 2),
                                       wasm_i32x4_shuffle(b, b, 0, 2, 0, 2));
  }
  static Vec ShiftRight(Vec a, int bits) {
    return wasm_u64x2_shr(a, static_cast<uint32_t>(bits));
  }
  static Vec ShiftRightBy(Vec a, Vec bits) {
    return wasm_u64x2_make(
        wasm_u64x2_extract_lane(a, 0) >> wasm_u64x2_extract_lane(bits, 0),
        wasm_u64x2_extract_lane(a, 1) >> wasm_u64x2_extract_lane(bits, 1));
  }
  static Vec ShiftLeftBy(Vec a, Vec bits) {
    return wasm_u64x2_make(
        wasm_u64x2_extract_lane(a, 0) << wasm_u64x2_extract_lane(bits, 0),
        wasm_u64x2_extract_lane(a, 1) << wasm_u64x2_extract_lane(bits, 1));
  }
  static Vec Broadcast(const Lane& lane) { return Load(lane.data()); }
  // Only kReverseIntegers is asked for.
  static Vec Shuffle(Vec v, const Lane& /*order*/) {
    return wasm_i8x16_shuffle(v, v, 7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 12,
                              13, 14, 15);
  }
  static Vec MulAddBytes(Vec v, const Lane& weights) {
    const Vec w = Broadcast(weights);
    const Vec low = wasm_i16x8_const_splat(0xFF);
    return wasm_i16x8_add(
        wasm_i16x8_mul(And(v, low), And(w, low)),
        wasm_i16x8_mul(wasm_u16x8_shr(v, 8), wasm_u16x8_shr(w, 8)));
  }
  static Vec MulAddWords(Vec v, const Lane& weights) {
    return wasm_i32x4_dot_i16x8(v, Broadcast(weights));
  }
  static Vec PackWords(Vec a, Vec b) { return wasm_u8x16_narrow_i16x8(a, b); }
  static Vec UnpackLow(Vec a, Vec b) { return wasm_i64x2_shuffle(a, b, 0, 2); }
  static Vec UnpackHigh(Vec a, Vec b) { return wasm_i64x2_shuffle(a, b, 1, 3); }
  static Vec LowHalves(Vec even, Vec odd) {
    return wasm_i32x4_shuffle(even, odd, 0, 4, 2, 6);
  }
  static Vec HighHalves(Vec even, Vec odd) {
    return wasm_i32x4_shuffle(even, odd, 1, 5, 3, 7);
  }
  static bool AnySign64(Vec v) { return wasm_i64x2_bitmask(v) != 0; }
  static bool AnyBit(Vec v, uint32_t bits) {
    return wasm_v128_any_true(And(v, wasm_u32x4_splat(bits)));
  }
  static uint32_t SignBits(Vec v) { return wasm_i64x2_bitmask(v); }
  static Vec SignMask64(Vec v) { return wasm_i64x2_lt(v, Set64(0)); }

  // No fused products here: double precision has bits enough.
  static void StoreFloats(Vec integers, Vec decimals, Vec pivots, float* to) {
    const Vec scale = wasm_f64x2_const_splat(1e-7);
    const auto half = [&](Vec i, Vec d) {
      return wasm_f32x4_demote_f64x2_zero(wasm_f64x2_add(
          wasm_f64x2_convert_low_i32x4(i),
          wasm_f64x2_mul(wasm_f64x2_convert_low_i32x4(d), scale)));
    };
    const Vec low = half(integers, decimals);
    const Vec high = half(wasm_i64x2_shuffle(integers, integers, 1, 1),
                          wasm_i64x2_shuffle(decimals, decimals, 1, 1));
    const Vec sign = And(pivots, wasm_u32x4_const_splat(0x80000000));
    wasm_v128_store(to, Or(wasm_i64x2_shuffle(low, high, 0, 2), sign));
  }

  static Vec LoadWindows(const uint8_t* base, const uint32_t* pivots) {
    return Load(base + static_cast<uint16_t>(pivots[0]));
  }
  static Vec LoadEights(const uint8_t* base, const uint32_t* pivots) {
    const Vec low =
        wasm_v128_load64_zero(base + static_cast<uint16_t>(pivots[0]));
    return wasm_v128_load64_lane(base + static_cast<uint16_t>(pivots[1]), low,
                                 1);
  }

  static Doubles SetD(double value) { return wasm_f64x2_splat(value); }
  static Doubles MulD(Doubles a, Doubles b) { return wasm_f64x2_mul(a, b); }
  static Doubles FmaD(Doubles a, Doubles b, Doubles c) {
    return wasm_f64x2_add(wasm_f64x2_mul(a, b), c);
  }
  static Vec Bits(Doubles d) { return d; }
  static Doubles ToDoubles(Vec v) {
    const Doubles magic = SetD(0x1p52);
    return wasm_f64x2_sub(Or(v, magic), magic);
  }
  static Doubles LookUp(const double* table, Vec index) {
    return wasm_f64x2_make(table[wasm_i64x2_extract_lane(index, 0)],
                           table[wasm_i64x2_extract_lane(index, 1)]);
  }
  static uint32_t DifferAsFloats(Doubles a, Doubles b) {
    return wasm_i32x4_bitmask(wasm_f32x4_ne(wasm_f32x4_demote_f64x2_zero(a),
                                            wasm_f32x4_demote_f64x2_zero(b)));
  }
  static void StoreWide(Doubles values, const uint32_t* pivots, float* to) {
    const Vec sign =
        And(wasm_v128_load64_zero(pivots), wasm_u32x4_const_splat(0x80000000));
    wasm_v128_store64_lane(to, Or(wasm_f32x4_demote_f64x2_zero(values), sign),
                           0);
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
#endif  // defined(__wasm_simd128__)
