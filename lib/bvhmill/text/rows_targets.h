#pragma once

// The parts that the CPU targets of ScanRows share: their buffers, their entry
// points, and the tables of the algorithm in rows-inl.h.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bvhmill/text/rows.h"

// Machines that all have the same vectors, of 128 bits: NEON or WebAssembly.
#if defined(__aarch64__) || defined(__wasm_simd128__)
#define BVHMILL_ROWS_128
#endif

namespace bvhmill {

// A chunk is a run of whole lines. Offsets into it fit into 16 bits.
inline constexpr size_t kMaxChunkBytes = kMaxScannedLineBytes + 2;
inline constexpr size_t kBlockBytes = 64;
// Padding before and after a chunk, for windows that reach outside of it.
inline constexpr size_t kPadBytes = 128;
// A chunk has fewer numbers, and fewer exponents, than this. The extra space is
// for vectors that are written or read past the last one.
inline constexpr size_t kMaxNumbers = kMaxChunkBytes / 2 + 256;

// In the order of use: NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct RowsWorkspace::Buffers {
  // The chunk as digit values; see rows-inl.h. The extra 4096 bytes let it
  // start at an address that does not collide with that of the text modulo
  // 4096. A collision would stall every load that follows a store.
  alignas(64) uint8_t digits[4096 + kPadBytes + kMaxChunkBytes + 2 * kPadBytes];
  // Position of the pivot of each number; the sign of the number is in bit 31.
  alignas(64) uint32_t pivots[kMaxNumbers];
  // Position of the letter of each exponent; and one bit for each number, set
  // if it has an exponent.
  alignas(64) uint32_t exponents[kMaxNumbers];
  alignas(64) uint64_t has_exponent[kMaxNumbers / 64 + 2];
  // Indices of the numbers that the wide path converts.
  alignas(64) uint32_t listed[kMaxNumbers];
  // Windows of numbers, copied some time before they are converted.
  alignas(64) uint8_t ring[8 * 256];
  // The last block of a chunk, padded with blanks.
  alignas(64) char tail[kBlockBytes];
  // `general`: the last chunk had exponents. `precise`: many of its numbers had
  // more decimals than the short path converts.
  bool general = false;
  bool precise = false;
  // True if a number of the current chunk is not finite as float.
  bool out_of_range = false;
};

// The factors of the wide path, which accepts exponents from kMinExponent to
// kMaxExponent: kScales[i] = 10^(kMinExponent + i - kMantissaDecimals). Its
// mantissas hold the integer and 7 decimals.
inline constexpr int kMinExponent = -60;
inline constexpr int kMaxExponent = 45;
inline constexpr int kMantissaDecimals = 7;
extern const double kScales[kMaxExponent - kMinExponent + 1];

// ScanRows and ScanRowsBlock of text/rows.h for each target. The scalar target
// parses number by number, with ScanLine. The others call it for chunks that
// they do not parse.
RowsScan ScanRowsScalar(std::string_view text, size_t width,
                        std::span<float> out);
RowsScan ScanRowsBlockScalar(std::string_view block, size_t width,
                             RowsPlacer* placer);
#if defined(__x86_64__)
RowsScan ScanRowsBlockAvx2(std::string_view block, size_t width,
                           RowsPlacer* placer, std::string_view ahead,
                           RowsWorkspace::Buffers* buffers);
RowsScan ScanRowsBlockAvx512(std::string_view block, size_t width,
                             RowsPlacer* placer, std::string_view ahead,
                             RowsWorkspace::Buffers* buffers);
RowsScan ScanRowsAvx2(std::string_view text, size_t width, std::span<float> out,
                      RowsWorkspace::Buffers* buffers);
RowsScan ScanRowsAvx512(std::string_view text, size_t width,
                        std::span<float> out, RowsWorkspace::Buffers* buffers);
#elif defined(BVHMILL_ROWS_128)
RowsScan ScanRowsBlock128(std::string_view block, size_t width,
                          RowsPlacer* placer, std::string_view ahead,
                          RowsWorkspace::Buffers* buffers);
RowsScan ScanRows128(std::string_view text, size_t width, std::span<float> out,
                     RowsWorkspace::Buffers* buffers);
#endif

}  // namespace bvhmill

// --- Tables and weights of the algorithm.

namespace bvhmill::rows {

// Digit values: 0 to 9 for a digit, 0 for the dot. All other bytes have the bit
// kNotDigit and no bit below it: stage 2 relies on that.
constexpr uint8_t kNotDigit = 0x10;
// kNotDigit in each of 8 bytes.
constexpr uint64_t kNotDigits = 0x1010101010101010;
// LF and CR, in the AVX-512 target only. In AVX2 they have kNotDigit.
constexpr uint8_t kLineEnd = 0x30;
// A byte that cannot be part of a plain number, such as a letter, a plus or a
// control character.
constexpr uint8_t kOther = 0x90;

// Digit values for a lookup by the low 6 bits of a byte. They are correct for
// bytes below 64. The target finds all other bytes itself and treats them as
// kOther.
alignas(64) constexpr auto kDigitValues = [] {
  std::array<uint8_t, 64> values{};
  for (uint8_t& value : values) value = kOther;
  for (size_t i = 0; i < 10; ++i) values['0' + i] = static_cast<uint8_t>(i);
  values[' '] = values['\t'] = values['-'] = kNotDigit;
  values['\n'] = values['\r'] = kLineEnd;
  values['.'] = 0;
  return values;
}();

// The numbers 0 to 63: the positions of the bytes of a block.
alignas(64) constexpr auto kIota = [] {
  std::array<uint8_t, 64> iota{};
  for (size_t i = 0; i < 64; ++i) iota[i] = static_cast<uint8_t>(i);
  return iota;
}();

// Space, tab, LF, CR and dot, each at the index of its low 4 bits. A byte is
// one of them if the lookup returns the byte itself.
alignas(16) constexpr std::array<uint8_t, 16> kCommonBytes = {
    ' ',  0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, '\t', '\n', 0xFF, 0xFF, '\r', '.',  0xFF};

// Weights for stage 2, in lanes of 128 bits, low byte first.
using Lane = std::array<uint8_t, 16>;

// Reverses the integer half of a window, so that its last digit comes first.
alignas(16) constexpr Lane kReverseIntegers = {7, 6, 5,  4,  3,  2,  1,  0,
                                               8, 9, 10, 11, 12, 13, 14, 15};
// Byte weights: 1 and 10 for the integer half, 10 and 1 for the decimal half.
// The dot is the first byte of the decimal half and has the value 0.
alignas(16) constexpr Lane kWeights1 = {1,  10, 1,  10, 1,  10, 1,  10,
                                        10, 1,  10, 1,  10, 1,  10, 1};
// Byte weights for sums of two digits, two windows in a lane: 1 and 100 for the
// integer, 100 and 1 for the decimals.
alignas(16) constexpr Lane kWeights2 = {1, 100, 1, 100, 100, 1, 100, 1,
                                        1, 100, 1, 100, 100, 1, 100, 1};
// Word weights: 1, 10000, 10000, 1.
alignas(16) constexpr Lane kWeights3 = {1, 0, 0x10, 0x27, 0x10, 0x27, 1, 0,
                                        1, 0, 0x10, 0x27, 0x10, 0x27, 1, 0};
// For 8 more decimals: byte weights 10 and 1, then word weights 100 and 1.
alignas(16) constexpr Lane kMoreWeights1 = {10, 1, 10, 1, 10, 1, 10, 1,
                                            10, 1, 10, 1, 10, 1, 10, 1};
alignas(16) constexpr Lane kMoreWeights2 = {100, 0, 1, 0, 100, 0, 1, 0,
                                            100, 0, 1, 0, 100, 0, 1, 0};
// Byte weights for the three digits of an exponent, then word weights for the
// sum.
alignas(16) constexpr Lane kExponentWeights = {100, 10, 1, 0, 0, 0, 0, 0,
                                               100, 10, 1, 0, 0, 0, 0, 0};
alignas(16) constexpr Lane kOnes = {1, 0, 1, 0, 0, 0, 0, 0,
                                    1, 0, 1, 0, 0, 0, 0, 0};

// 1e-7 as the sum of two floats.
constexpr float kScaleHigh = 1e-7F;
constexpr float kScaleLow =
    static_cast<float>(1e-7 - static_cast<double>(1e-7F));

#if defined(BVHMILL_ROWS_128)

// Ops::Extract and Ops::StorePositions without instructions for them; the first
// is for few bits at a time.
inline uint64_t Extract128(uint64_t bits, uint64_t mask) {
  uint64_t out = 0;
  for (int k = 0; mask != 0; mask &= mask - 1, ++k) {
    out |= ((bits >> std::countr_zero(mask)) & 1) << k;
  }
  return out;
}

inline size_t StorePositions128(uint64_t bits, uint64_t marks, uint32_t offset,
                                uint32_t* to) {
  const auto n = static_cast<size_t>(std::popcount(bits));
  size_t i = 0;
  do {
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; ++k) {
      const auto at = static_cast<uint32_t>(std::countr_zero(bits));
      to[i + k] =
          (at + offset) | (static_cast<uint32_t>(marks >> (at & 63)) << 31);
      bits &= bits - 1;
    }
    i += 4;
  } while (i < n);
  return n;
}

#endif

}  // namespace bvhmill::rows
