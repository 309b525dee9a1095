#pragma once

// Tables and weights of ScanRows. Private to text/.

#include <array>
#include <cstddef>
#include <cstdint>

namespace bvhmill::rows {

// A digit value is 0..9 for a digit, 0 for the dot, and has the bit kNotDigit
// for anything else, and some a second bit that tells them apart.
constexpr uint64_t kNotDigits = 0x1010101010101010;
constexpr uint8_t kNotDigit = 0x10;
constexpr uint8_t kLineEnd = 0x30;
// No part of a plain number: a letter, a plus, a control byte.
constexpr uint8_t kOther = 0x90;

// The digit values of the bytes below 64; all others are kOther.
alignas(64) constexpr auto kDigitValues = [] {
  std::array<uint8_t, 64> values{};
  for (uint8_t& value : values) value = kOther;
  for (size_t i = 0; i < 10; ++i) values['0' + i] = static_cast<uint8_t>(i);
  values[' '] = values['\t'] = values['-'] = kNotDigit;
  values['\n'] = values['\r'] = kLineEnd;
  values['.'] = 0;
  return values;
}();

alignas(64) constexpr auto kIota = [] {
  std::array<uint8_t, 64> iota{};
  for (size_t i = 0; i < 64; ++i) iota[i] = static_cast<uint8_t>(i);
  return iota;
}();

// Space, tab, LF, CR and dot, each at its low 4 bits: a byte that looks up
// itself is one of them.
alignas(16) constexpr std::array<uint8_t, 16> kCommonBytes = {
    ' ',  0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, '\t', '\n', 0xFF, 0xFF, '\r', '.',  0xFF};

// Weights of stage 2 as lanes of 128 bits, low byte first.
using Lane = std::array<uint8_t, 16>;

// The integer side of a window backwards, so that its last digit comes first.
alignas(16) constexpr Lane kReverseIntegers = {7, 6, 5,  4,  3,  2,  1,  0,
                                               8, 9, 10, 11, 12, 13, 14, 15};
// Bytes: 1 and 10 for the integer side, 10 and 1 for the decimals. The dot is
// the first of those and 0.
alignas(16) constexpr Lane kWeights1 = {1,  10, 1,  10, 1,  10, 1,  10,
                                        10, 1,  10, 1,  10, 1,  10, 1};
alignas(16) constexpr Lane kWeights2 = {1, 100, 1, 100, 100, 1, 100, 1,
                                        1, 100, 1, 100, 100, 1, 100, 1};
// Words: 1, 10000, 10000, 1.
alignas(16) constexpr Lane kWeights3 = {1, 0, 0x10, 0x27, 0x10, 0x27, 1, 0,
                                        1, 0, 0x10, 0x27, 0x10, 0x27, 1, 0};
// 8 further decimals: bytes 10 and 1, then words 100 and 1.
alignas(16) constexpr Lane kMoreWeights1 = {10, 1, 10, 1, 10, 1, 10, 1,
                                            10, 1, 10, 1, 10, 1, 10, 1};
alignas(16) constexpr Lane kMoreWeights2 = {100, 0, 1, 0, 100, 0, 1, 0,
                                            100, 0, 1, 0, 100, 0, 1, 0};
// The three digits of an exponent, bytes, then words to sum.
alignas(16) constexpr Lane kExponentWeights = {100, 10, 1, 0, 0, 0, 0, 0,
                                               100, 10, 1, 0, 0, 0, 0, 0};
alignas(16) constexpr Lane kOnes = {1, 0, 1, 0, 0, 0, 0, 0,
                                    1, 0, 1, 0, 0, 0, 0, 0};

// 1e-7 as the sum of two floats.
constexpr float kScaleHigh = 1e-7F;
constexpr float kScaleLow =
    static_cast<float>(1e-7 - static_cast<double>(1e-7F));

}  // namespace bvhmill::rows
