#pragma once

// Declarations shared by the targets of ScanRows. Private to text/.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bvhmill/text/rows.h"

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
  // The chunk as digit values; see rows_stage1-inl.h. The extra 4096 bytes let
  // it start at an address that does not collide with that of the text modulo
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
  // A number of the current chunk is not finite as float.
  bool out_of_range = false;
};

// The factors of the wide path, which accepts exponents from kMinExponent to
// kMaxExponent: kScales[i] = 10^(kMinExponent + i - kMantissaDecimals). Its
// mantissas hold the integer and 7 decimals.
inline constexpr int kMinExponent = -60;
inline constexpr int kMaxExponent = 45;
inline constexpr int kMantissaDecimals = 7;
extern const double kScales[kMaxExponent - kMinExponent + 1];

// ScanRows and ScanRowsBlock of text/rows.h for one target each. The scalar one
// is the slow twin. The others call it for chunks that they do not parse.
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
#endif

}  // namespace bvhmill
