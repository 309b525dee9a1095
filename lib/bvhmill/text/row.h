#pragma once

// Parses one line of MOTION into floats and reports where and why it stopped.
// The scalar twin in text/rows.h is built on it.

#include <cstddef>
#include <span>
#include <string_view>

#include "bvhmill/text/number.h"

namespace bvhmill {

enum class RowEnd {
  kLineEnd,     // the line ended
  kFull,        // `out` is full and the line has another word
  kNotANumber,  // the next word is kInvalid for ParseNumber
};

struct LineScan {
  // Number of values written to `out`.
  size_t values = 0;
  RowEnd end = RowEnd::kLineEnd;
  // Index where parsing stopped: the first byte of the word that was not taken,
  // or the size of the line.
  size_t stop = 0;
  // At least one value is not finite in the text, or not finite as float.
  bool has_non_finite = false;
};

// Parses the words of `line` from byte `start` on as numbers, each correctly
// rounded to double and then to float. Words for NaN and infinity are values,
// too. Stops at the first word that is kInvalid or does not fit into `out`.
// Requires start <= line.size(), and a line without its line end. O(bytes);
// allocates no memory.
LineScan ScanLine(std::string_view line, size_t start, std::span<float> out);

// Parses `word`, numbers of which each but the first begins with a sign, since
// the blank before it is missing: 0.0-7.5 is 0.0 and -7.5. Returns how many
// there are, and writes those to `out` that fit; 0 if a part is no finite
// number. O(bytes); allocates no memory.
size_t ScanGlued(std::string_view word, std::span<float> out);

struct GluedScan {
  // Number of values; 0 if a word is neither a finite number nor several.
  size_t values = 0;
  // Index and size of the first word that is several numbers, and their number.
  size_t begin = 0;
  size_t size = 0;
  size_t numbers = 0;
};

// Parses all words of `line`, each by ScanGlued, into `out`. Values that do not
// fit are counted. O(bytes); allocates no memory.
GluedScan ScanGluedLine(std::string_view line, std::span<float> out);

}  // namespace bvhmill
