#pragma once

// Writes floats as text: the same characters as std::to_chars, in a third to
// two thirds of its time, since most values of motion have few digits.
//
//   DecimalsGuess guess;
//   char text[kMaxFixedText];
//   const char* end = WriteShortest(12.5F, &guess, text);   // 12.5
//   end = WriteFixed(12.5F, 3, text);                       // 12.500

#include <array>
#include <cstddef>
#include <cstdint>

namespace bvhmill {

// Room for the shortest text of any float, such as -1.1754944e-38.
inline constexpr size_t kMaxShortestText = 16;
// Room for the other texts: a sign, 39 digits, a point and decimals.
inline constexpr int kMaxFloatDecimals = 60;
inline constexpr size_t kMaxFixedText = 104;

// The decimals of the last value of each exponent. The values of a clip mostly
// have as many as those before them. A wrong guess costs time only.
struct DecimalsGuess {
  std::array<int8_t, 32> decimals = {};
};

// Writes the shortest text that reads back as `value`, and returns its end.
// `out` has room for kMaxShortestText characters.
char* WriteShortest(float value, DecimalsGuess* guess, char* out);

// The same with this number of decimals, 0 to kMaxFloatDecimals, and room for
// kMaxFixedText characters. A value between two texts becomes the one with an
// even last digit.
char* WriteFixed(float value, int decimals, char* out);

}  // namespace bvhmill
