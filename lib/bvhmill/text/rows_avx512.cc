// ScanRows for CPUs with AVX-512 and VBMI2.

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
#pragma clang attribute push(                                                 \
    __attribute__((                                                           \
        target("avx2,fma,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl," \
               "avx512vbmi,avx512vbmi2"))),                                   \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt")
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl")
#pragma GCC target("avx512vbmi,avx512vbmi2")
#endif

namespace bvhmill {
namespace {

using namespace rows;

struct Ops {
  static constexpr size_t kLanes = 4;
  using Vec = __m512i;
  using Block = __m512i;
  using Doubles = __m512d;

  static Block LoadBlock(const char* from) { return _mm512_loadu_si512(from); }
  static void StoreBlock(Block b, uint8_t* to) { _mm512_storeu_si512(to, b); }
  static uint64_t Separators(Block b) {
    return _cvtmask64_u64(_mm512_cmple_epu8_mask(b, _mm512_set1_epi8(' ')));
  }
  static uint64_t Equal(Block b, char c) {
    return _cvtmask64_u64(_mm512_cmpeq_epi8_mask(b, _mm512_set1_epi8(c)));
  }
  static uint64_t EqualLetter(Block b, char lower) {
    return Equal(_mm512_or_si512(b, _mm512_set1_epi8(0x20)), lower);
  }
  // Bytes that cannot be part of plain numbers or separate them.
  static uint64_t Others(Block b, Block values) {
    return _cvtmask64_u64(
        _mm512_movepi8_mask(_mm512_or_si512(values, HighBytes(b))));
  }
  // Collects such bytes over many blocks.
  using OtherBytes = __m512i;
  static void NoteOthers(Block b, Block values, OtherBytes* others) {
    *others = _mm512_ternarylogic_epi64(*others, b, values, 0xFE);
  }
  static bool AnyOthers(OtherBytes others) {
    return _mm512_test_epi8_mask(
               others, _mm512_set1_epi8(static_cast<char>(0xC0))) != 0;
  }
  // kOther for each byte with a value of 64 or more.
  static Block HighBytes(Block b) {
    const __mmask64 high =
        _mm512_test_epi8_mask(b, _mm512_set1_epi8(static_cast<char>(0xC0)));
    return _mm512_maskz_mov_epi8(high,
                                 _mm512_set1_epi8(static_cast<char>(kOther)));
  }
  static uint64_t LineEnds(Block /*b*/, Block values) {
    return _cvtmask64_u64(
        _mm512_test_epi8_mask(values, _mm512_set1_epi8(kLineEnd & ~kNotDigit)));
  }
  static uint64_t Extract(uint64_t bits, uint64_t mask) {
    return _pext_u64(bits, mask);
  }
  // The lookup uses the low 6 bits only. The functions above find the bytes
  // from 64 on that look like digits.
  static Block DigitValues(Block b) {
    return _mm512_permutexvar_epi8(b, _mm512_load_si512(kDigitValues.data()));
  }

  // Writes the position of each bit of `bits`, plus `offset`, with bit 31 set
  // where `marks` has the bit. Returns how many there are; may write up to 64
  // entries beyond them.
  static size_t StorePositions(uint64_t bits, uint64_t marks, uint32_t offset,
                               uint32_t* to) {
    const __m512i iota = _mm512_load_si512(kIota.data());
    const __m512i marked =
        _mm512_or_si512(iota, _mm512_set1_epi8(static_cast<char>(0x80)));
    const __m512i places = _mm512_maskz_compress_epi8(
        _cvtu64_mask64(bits),
        _mm512_mask_mov_epi8(iota, _cvtu64_mask64(marks), marked));
    const auto n = static_cast<size_t>(_mm_popcnt_u64(bits));
    StoreWidened(_mm512_castsi512_si128(places), offset, to);
    if (__builtin_expect(n > 16, 0)) {
      StoreWidened(_mm512_extracti32x4_epi32(places, 1), offset, to + 16);
      StoreWidened(_mm512_extracti32x4_epi32(places, 2), offset, to + 32);
      StoreWidened(_mm512_extracti32x4_epi32(places, 3), offset, to + 48);
    }
    return n;
  }
  static void StoreWidened(__m128i places, uint32_t offset, uint32_t* to) {
    const __m512i keep = _mm512_set1_epi32(static_cast<int>(0x8000003F));
    const __m512i base = _mm512_set1_epi32(static_cast<int>(offset));
    _mm512_storeu_si512(
        to, _mm512_add_epi32(
                _mm512_and_si512(_mm512_cvtepi8_epi32(places), keep), base));
  }

  static Vec Load(const void* from) { return _mm512_loadu_si512(from); }
  static Vec Set64(uint64_t value) {
    return _mm512_set1_epi64(static_cast<int64_t>(value));
  }
  static Vec And(Vec a, Vec b) { return _mm512_and_si512(a, b); }
  static Vec AndNot(Vec a, Vec b) { return _mm512_andnot_si512(a, b); }
  static Vec Or(Vec a, Vec b) { return _mm512_or_si512(a, b); }
  static Vec Xor(Vec a, Vec b) { return _mm512_xor_si512(a, b); }
  // w & below & ~ends.
  static Vec CutDigits(Vec w, Vec below, Vec ends) {
    return _mm512_ternarylogic_epi64(w, below, ends, 0x40);
  }
  static Vec Add64(Vec a, Vec b) { return _mm512_add_epi64(a, b); }
  static Vec Sub64(Vec a, Vec b) { return _mm512_sub_epi64(a, b); }
  static Vec Negate(Vec a) {
    return _mm512_sub_epi64(_mm512_setzero_si512(), a);
  }
  static Vec MulU32(Vec a, Vec b) { return _mm512_mul_epu32(a, b); }
  static Vec ShiftRight(Vec a, unsigned bits) {
    return _mm512_srli_epi64(a, bits);
  }
  static Vec ShiftRightBy(Vec a, Vec bits) {
    return _mm512_srlv_epi64(a, bits);
  }
  static Vec ShiftLeftBy(Vec a, Vec bits) { return _mm512_sllv_epi64(a, bits); }
  static Vec Broadcast(const Lane& lane) {
    return _mm512_broadcast_i32x4(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(lane.data())));
  }
  static Vec Shuffle(Vec v, const Lane& order) {
    return _mm512_shuffle_epi8(v, Broadcast(order));
  }
  static Vec MulAddBytes(Vec v, const Lane& weights) {
    return _mm512_maddubs_epi16(v, Broadcast(weights));
  }
  static Vec MulAddWords(Vec v, const Lane& weights) {
    return _mm512_madd_epi16(v, Broadcast(weights));
  }
  static Vec PackWords(Vec a, Vec b) { return _mm512_packus_epi16(a, b); }
  static Vec UnpackLow(Vec a, Vec b) { return _mm512_unpacklo_epi64(a, b); }
  static Vec UnpackHigh(Vec a, Vec b) { return _mm512_unpackhi_epi64(a, b); }
  static Vec LowHalves(Vec even, Vec odd) {
    return _mm512_mask_shuffle_epi32(even, 0xAAAA, odd, _MM_PERM_ENUM(0xA0));
  }
  static Vec HighHalves(Vec even, Vec odd) {
    return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_ENUM(0xF5));
  }
  static bool AnySign64(Vec v) { return _mm512_movepi64_mask(v) != 0; }
  static bool AnyBit(Vec v, uint32_t bits) {
    return _mm512_test_epi32_mask(
               v, _mm512_set1_epi32(static_cast<int>(bits))) != 0;
  }
  // One bit for the sign of each 64 bits.
  static uint32_t SignBits(Vec v) { return _mm512_movepi64_mask(v); }
  static Vec SignMask64(Vec v) { return _mm512_srai_epi64(v, 63); }

  // Stores integers + decimals * 1e-7 as the sum of two floats. The signs come
  // from bit 31 of the pivots.
  static void StoreFloats(Vec integers, Vec decimals, Vec pivots, float* to) {
    const __m512 high = _mm512_set1_ps(kScaleHigh);
    const __m512 low = _mm512_set1_ps(kScaleLow);
    const __m512 whole = _mm512_cvtepi32_ps(integers);
    const __m512 rest = _mm512_cvtepi32_ps(decimals);
    const __m512 p = _mm512_mul_ps(rest, high);
    const __m512 error =
        _mm512_fmadd_ps(rest, low, _mm512_fmsub_ps(rest, high, p));
    const __m512 sum = _mm512_add_ps(whole, p);
    const __m512 lost = _mm512_sub_ps(p, _mm512_sub_ps(sum, whole));
    const __m512 result = _mm512_add_ps(sum, _mm512_add_ps(lost, error));
    // result | (pivots & sign)
    const __m512i sign = _mm512_set1_epi32(static_cast<int>(0x80000000));
    _mm512_storeu_si512(
        to, _mm512_ternarylogic_epi32(_mm512_castps_si512(result), pivots, sign,
                                      0xF8));
  }

  static __m128i Window(const uint8_t* base, uint32_t pivot) {
    return _mm_loadu_si128(
        reinterpret_cast<const __m128i*>(base + static_cast<uint16_t>(pivot)));
  }
  // The windows of pivots 0, 2, 4 and 6.
  static Vec LoadWindows(const uint8_t* base, const uint32_t* pivots) {
    __m512i w = _mm512_castsi128_si512(Window(base, pivots[0]));
    w = _mm512_inserti64x2(w, Window(base, pivots[2]), 1);
    w = _mm512_inserti64x2(w, Window(base, pivots[4]), 2);
    return _mm512_inserti64x2(w, Window(base, pivots[6]), 3);
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
    __m512i w = _mm512_castsi128_si512(TwoEights(base, pivots));
    w = _mm512_inserti64x2(w, TwoEights(base, pivots + 2), 1);
    w = _mm512_inserti64x2(w, TwoEights(base, pivots + 4), 2);
    return _mm512_inserti64x2(w, TwoEights(base, pivots + 6), 3);
  }

  static Doubles SetD(double value) { return _mm512_set1_pd(value); }
  static Doubles MulD(Doubles a, Doubles b) { return _mm512_mul_pd(a, b); }
  static Doubles FmaD(Doubles a, Doubles b, Doubles c) {
    return _mm512_fmadd_pd(a, b, c);
  }
  static Vec Bits(Doubles d) { return _mm512_castpd_si512(d); }
  // Requires integers below 2^52.
  static Doubles ToDoubles(Vec v) { return _mm512_cvtepi64_pd(v); }
  static Doubles LookUp(const double* table, Vec index) {
    return _mm512_i64gather_pd(index, table, 8);
  }
  static uint32_t DifferAsFloats(Doubles a, Doubles b) {
    return _mm256_cmp_ps_mask(_mm512_cvtpd_ps(a), _mm512_cvtpd_ps(b),
                              _CMP_NEQ_UQ);
  }
  static void StoreWide(Doubles values, const uint32_t* pivots, float* to) {
    const __m256i sign = _mm256_and_si256(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pivots)),
        _mm256_set1_epi32(static_cast<int>(0x80000000)));
    const __m256i floats = _mm256_castps_si256(_mm512_cvtpd_ps(values));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_or_si256(floats, sign));
  }
};

#include "bvhmill/text/rows-inl.h"

}  // namespace

RowsScan ScanRowsAvx512(std::string_view text, size_t width,
                        std::span<float> out, RowsWorkspace::Buffers* buffers) {
  return ScanChunks(text, width, out, buffers);
}

RowsScan ScanRowsBlockAvx512(std::string_view block, size_t width,
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
