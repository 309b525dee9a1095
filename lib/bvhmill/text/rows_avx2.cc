// ScanRows for CPUs with AVX2, FMA and BMI2.

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "bvhmill/text/lines.h"
#include "bvhmill/text/number.h"
#include "bvhmill/text/rows_targets.h"

#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx2,fma,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt")
#endif

namespace bvhmill {
namespace {

using namespace rows;

struct Ops {
  static constexpr size_t kLanes = 2;
  using Vec = __m256i;
  using Doubles = __m256d;
  struct Block {
    __m256i low;
    __m256i high;
  };

  static Vec Set8(int value) {
    return _mm256_set1_epi8(static_cast<char>(value));
  }
  static uint64_t TopBits(Vec low, Vec high) {
    const auto a = static_cast<uint32_t>(_mm256_movemask_epi8(low));
    const auto b = static_cast<uint32_t>(_mm256_movemask_epi8(high));
    return a | (uint64_t{b} << 32);
  }

  static Block LoadBlock(const char* from) {
    return {Load(from), Load(from + 32)};
  }
  static void StoreBlock(Block b, uint8_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), b.low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32), b.high);
  }
  static Vec AreSeparators(Vec b) {
    return _mm256_cmpeq_epi8(Set8(' '), _mm256_max_epu8(b, Set8(' ')));
  }
  static uint64_t Separators(Block b) {
    return TopBits(AreSeparators(b.low), AreSeparators(b.high));
  }
  static uint64_t Equal(Block b, char c) {
    return TopBits(_mm256_cmpeq_epi8(b.low, Set8(c)),
                   _mm256_cmpeq_epi8(b.high, Set8(c)));
  }
  static uint64_t EqualLetter(Block b, char lower) {
    return Equal({Or(b.low, Set8(0x20)), Or(b.high, Set8(0x20))}, lower);
  }
  // Bytes that cannot be part of plain numbers or separate them.
  static uint64_t Others(Block /*b*/, Block values) {
    return TopBits(values.low, values.high);
  }
  // Collects such bytes over many blocks.
  using OtherBytes = Block;
  static void NoteOthers(Block /*b*/, Block values, OtherBytes* others) {
    *others = {Or(others->low, values.low), Or(others->high, values.high)};
  }
  static bool AnyOthers(OtherBytes others) {
    return TopBits(others.low, others.high) != 0;
  }
  static uint64_t LineEnds(Block b, Block /*values*/) {
    return Equal(b, '\n') | Equal(b, '\r');
  }
  static uint64_t Extract(uint64_t bits, uint64_t mask) {
    return _pext_u64(bits, mask);
  }
  // As kDigitValues, except that a line end has the value of any other
  // separator.
  static Vec DigitValues(Vec b) {
    const Vec v = _mm256_sub_epi8(b, Set8('0'));
    const Vec no_digit = _mm256_cmpeq_epi8(_mm256_max_epu8(v, Set8(10)), v);
    const Vec common = Broadcast(kCommonBytes);
    const Vec known = Or(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(common, b), b),
                         _mm256_cmpeq_epi8(b, Set8('-')));
    const Vec dot = _mm256_cmpeq_epi8(b, Set8('.'));
    const Vec rest = And(AndNot(dot, no_digit), Set8(kNotDigit));
    const Vec other = And(AndNot(known, no_digit), Set8(kOther));
    return Or(AndNot(no_digit, v), Or(rest, other));
  }
  static Block DigitValues(Block b) {
    return {DigitValues(b.low), DigitValues(b.high)};
  }

  // Writes the position of each bit of `bits`, plus `offset`, with bit 31 set
  // where `marks` has the bit. Returns how many there are; may write up to 64
  // entries beyond them.
  static size_t StorePositions(uint64_t bits, uint64_t marks, uint32_t offset,
                               uint32_t* to) {
    const auto n = static_cast<size_t>(_mm_popcnt_u64(bits));
    size_t i = 0;
    // Four at a time: one branch that is often mispredicted instead of many.
    do {
#pragma GCC unroll 4
      for (size_t k = 0; k < 4; ++k) {
        const auto at = static_cast<uint32_t>(_tzcnt_u64(bits));
        to[i + k] =
            (at + offset) | (static_cast<uint32_t>(marks >> (at & 63)) << 31);
        bits = _blsr_u64(bits);
      }
      i += 4;
    } while (i < n);
    return n;
  }

  static Vec Load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static Vec Set64(uint64_t value) {
    return _mm256_set1_epi64x(static_cast<int64_t>(value));
  }
  static Vec And(Vec a, Vec b) { return _mm256_and_si256(a, b); }
  static Vec AndNot(Vec a, Vec b) { return _mm256_andnot_si256(a, b); }
  static Vec Or(Vec a, Vec b) { return _mm256_or_si256(a, b); }
  static Vec Xor(Vec a, Vec b) { return _mm256_xor_si256(a, b); }
  // w & below & ~ends.
  static Vec CutDigits(Vec w, Vec below, Vec ends) {
    return And(AndNot(ends, w), below);
  }
  static Vec Add64(Vec a, Vec b) { return _mm256_add_epi64(a, b); }
  static Vec Sub64(Vec a, Vec b) { return _mm256_sub_epi64(a, b); }
  static Vec Negate(Vec a) {
    return _mm256_sub_epi64(_mm256_setzero_si256(), a);
  }
  static Vec MulU32(Vec a, Vec b) { return _mm256_mul_epu32(a, b); }
  static Vec ShiftRight(Vec a, int bits) { return _mm256_srli_epi64(a, bits); }
  static Vec ShiftRightBy(Vec a, Vec bits) {
    return _mm256_srlv_epi64(a, bits);
  }
  static Vec ShiftLeftBy(Vec a, Vec bits) { return _mm256_sllv_epi64(a, bits); }
  static Vec Broadcast(const Lane& lane) {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(lane.data())));
  }
  static Vec Shuffle(Vec v, const Lane& order) {
    return _mm256_shuffle_epi8(v, Broadcast(order));
  }
  static Vec MulAddBytes(Vec v, const Lane& weights) {
    return _mm256_maddubs_epi16(v, Broadcast(weights));
  }
  static Vec MulAddWords(Vec v, const Lane& weights) {
    return _mm256_madd_epi16(v, Broadcast(weights));
  }
  static Vec PackWords(Vec a, Vec b) { return _mm256_packus_epi16(a, b); }
  static Vec UnpackLow(Vec a, Vec b) { return _mm256_unpacklo_epi64(a, b); }
  static Vec UnpackHigh(Vec a, Vec b) { return _mm256_unpackhi_epi64(a, b); }
  static Vec LowHalves(Vec even, Vec odd) {
    return _mm256_blend_epi32(even, _mm256_shuffle_epi32(odd, 0xA0), 0xAA);
  }
  static Vec HighHalves(Vec even, Vec odd) {
    return _mm256_blend_epi32(_mm256_shuffle_epi32(even, 0xF5), odd, 0xAA);
  }
  static bool AnySign64(Vec v) { return SignBits(v) != 0; }
  static bool AnyBit(Vec v, uint32_t bits) {
    return _mm256_testz_si256(v, _mm256_set1_epi32(static_cast<int>(bits))) ==
           0;
  }
  // One bit for the sign of each 64 bits.
  static uint32_t SignBits(Vec v) {
    return static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(v)));
  }
  static Vec SignMask64(Vec v) {
    return _mm256_cmpgt_epi64(_mm256_setzero_si256(), v);
  }

  // Stores integers + decimals * 1e-7 as the sum of two floats. The signs come
  // from bit 31 of the pivots.
  static void StoreFloats(Vec integers, Vec decimals, Vec pivots, float* to) {
    const __m256 high = _mm256_set1_ps(kScaleHigh);
    const __m256 low = _mm256_set1_ps(kScaleLow);
    const __m256 whole = _mm256_cvtepi32_ps(integers);
    const __m256 rest = _mm256_cvtepi32_ps(decimals);
    const __m256 p = _mm256_mul_ps(rest, high);
    const __m256 error =
        _mm256_fmadd_ps(rest, low, _mm256_fmsub_ps(rest, high, p));
    const __m256 sum = _mm256_add_ps(whole, p);
    const __m256 lost = _mm256_sub_ps(p, _mm256_sub_ps(sum, whole));
    const __m256 result = _mm256_add_ps(sum, _mm256_add_ps(lost, error));
    const __m256i sign =
        And(pivots, _mm256_set1_epi32(static_cast<int>(0x80000000)));
    _mm256_storeu_ps(to, _mm256_or_ps(result, _mm256_castsi256_ps(sign)));
  }

  static __m128i Window(const uint8_t* base, uint32_t pivot) {
    return _mm_loadu_si128(
        reinterpret_cast<const __m128i*>(base + static_cast<uint16_t>(pivot)));
  }
  // The windows of pivots 0 and 2.
  static Vec LoadWindows(const uint8_t* base, const uint32_t* pivots) {
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(Window(base, pivots[0])),
        Window(base, pivots[2]), 1);
  }
  static __m128i TwoEights(const uint8_t* base, const uint32_t* pivots) {
    const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(
        base + static_cast<uint16_t>(pivots[0])));
    const __m128i high = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(
        base + static_cast<uint16_t>(pivots[1])));
    return _mm_unpacklo_epi64(low, high);
  }
  // The 8 bytes at each of the pivots.
  static Vec LoadEights(const uint8_t* base, const uint32_t* pivots) {
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(TwoEights(base, pivots)),
        TwoEights(base, pivots + 2), 1);
  }

  static Doubles SetD(double value) { return _mm256_set1_pd(value); }
  static Doubles MulD(Doubles a, Doubles b) { return _mm256_mul_pd(a, b); }
  static Doubles FmaD(Doubles a, Doubles b, Doubles c) {
    return _mm256_fmadd_pd(a, b, c);
  }
  static Vec Bits(Doubles d) { return _mm256_castpd_si256(d); }
  // Requires integers below 2^52. They become the low bits of the double 2^52.
  static Doubles ToDoubles(Vec v) {
    const Doubles magic = SetD(0x1p52);
    return _mm256_sub_pd(_mm256_castsi256_pd(Or(v, Bits(magic))), magic);
  }
  static Doubles LookUp(const double* table, Vec index) {
    return _mm256_i64gather_pd(table, index, 8);
  }
  static uint32_t DifferAsFloats(Doubles a, Doubles b) {
    return static_cast<uint32_t>(
        _mm_movemask_ps(_mm_cmpneq_ps(_mm256_cvtpd_ps(a), _mm256_cvtpd_ps(b))));
  }
  static void StoreWide(Doubles values, const uint32_t* pivots, float* to) {
    const __m128i sign =
        _mm_and_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pivots)),
                      _mm_set1_epi32(static_cast<int>(0x80000000)));
    _mm_storeu_ps(to,
                  _mm_or_ps(_mm256_cvtpd_ps(values), _mm_castsi128_ps(sign)));
  }
};

#include "bvhmill/text/rows-inl.h"

}  // namespace

RowsScan ScanRowsAvx2(std::string_view text, size_t width, std::span<float> out,
                      RowsWorkspace::Buffers* buffers) {
  return ScanChunks(text, width, out, buffers);
}

RowsScan ScanRowsBlockAvx2(std::string_view block, size_t width,
                           RowsPlacer* placer, std::string_view ahead,
                           RowsWorkspace::Buffers* buffers) {
  return ReadBlock(block, width, placer, ahead, buffers);
}

}  // namespace bvhmill

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif  // defined(__x86_64__)
