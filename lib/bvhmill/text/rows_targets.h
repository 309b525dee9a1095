#pragma once

// What the targets of ScanRows share. Private to text/.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bvhmill/text/rows.h"

namespace bvhmill {

// A chunk is some whole lines. Offsets into it fit 16 bits.
inline constexpr size_t kMaxChunkBytes = kMaxScannedLineBytes + 2;
inline constexpr size_t kBlockBytes = 64;
// Room before and behind a chunk for windows that reach beyond it.
inline constexpr size_t kPadBytes = 128;
// More numbers and exponents than a chunk can hold, and room for vectors that
// are written or read beyond the last of them.
inline constexpr size_t kMaxNumbers = kMaxChunkBytes / 2 + 256;

// In the order of use: NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct RowsWorkspace::Buffers {
  // The chunk as digit values; see rows_stage1-inl.h. The slack lets it start
  // where its addresses do not collide with those of the text modulo 4096,
  // which would stall every load behind a store.
  alignas(64) uint8_t digits[4096 + kPadBytes + kMaxChunkBytes + 2 * kPadBytes];
  // Where each number has its pivot, sign in bit 31.
  alignas(64) uint32_t pivots[kMaxNumbers];
  // Where each exponent has its letter, and, a bit each, which numbers have
  // one.
  alignas(64) uint32_t exponents[kMaxNumbers];
  alignas(64) uint64_t has_exponent[kMaxNumbers / 64 + 2];
  // Indices of numbers for the wide path.
  alignas(64) uint32_t listed[kMaxNumbers];
  // Windows of numbers copied ahead of their conversion.
  alignas(64) uint8_t ring[8 * 256];
  // The last block of a chunk, padded with blanks.
  alignas(64) char tail[kBlockBytes];
  // The last chunk had exponents; most of its numbers had many decimals.
  bool general = false;
  bool precise = false;
  // A number of this chunk is not finite as float.
  bool out_of_range = false;
};

// 10 to the powers that the wide path multiplies by: those of the exponents it
// takes, less the 7 decimals that its mantissas hold.
inline constexpr int kMinExponent = -60;
inline constexpr int kMaxExponent = 45;
inline constexpr int kMantissaDecimals = 7;
extern const double kScales[kMaxExponent - kMinExponent + 1];

// The twin. Also what the others use for lines they leave alone.
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
