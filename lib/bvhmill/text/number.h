#pragma once

// Parses the numbers of BVH text: one number, or a line of numbers. The grammar
// is
//
//   [+-]? (digits ("." digits?)? | "." digits) ([eE] [+-]? digits)?
//
// and nothing else: no decimal comma, no hexadecimal, no separators. NaN and
// infinity, in the forms that C libraries print, have a kind of their own, so
// that a reader can keep such values and report them.
//
// All functions cost O(bytes), allocate no memory and do not depend on the
// locale.

#include <cstddef>
#include <span>
#include <string_view>

namespace bvhmill {

enum class NumberKind {
  kFinite,      // matches the grammar
  kOutOfRange,  // matches the grammar, but is not finite as float
  kNotFinite,   // nan, inf, -1.#IND00 and similar forms
  kInvalid,     // anything else
};

struct Number {
  NumberKind kind = NumberKind::kInvalid;
  // Correctly rounded to double, which may be infinite or NaN; 0 if invalid.
  double value = 0;
};

// Parses all of `word`.
Number ParseNumber(std::string_view word);

// --- Lines of numbers.

enum class RowEnd {
  kLineEnd,     // the line ended
  kFull,        // `out` is full and the line has another word
  kNotANumber,  // the next word is kInvalid for ParseNumber
};

struct LineScan {
  // Number of values written to `out`.
  size_t values = 0;
  RowEnd end = RowEnd::kLineEnd;
  // Index where parsing stopped: the first byte of the word that was not
  // parsed, or the size of the line.
  size_t stop = 0;
  // True if at least one value is not finite in the text or as float.
  bool has_non_finite = false;
};

// Parses the words of `line`, a row of MOTION, from byte `start` on as numbers,
// each correctly rounded to double and then to float. Words for NaN and
// infinity are values, too. Stops at the first word that is kInvalid or does
// not fit into `out`. Requires start <= line.size(), and a line without its
// line end.
LineScan ScanLine(std::string_view line, size_t start, std::span<float> out);

// --- Glued numbers: numbers without the blank between them. Each but the first
// begins with a sign: 0.0-7.5 is 0.0 and -7.5.

// Parses the one or more numbers of `word`. Returns how many there are, and
// writes those that fit to `out`. Returns 0 if a part is not a finite number;
// `out` may then be partly written.
size_t ScanGlued(std::string_view word, std::span<float> out);

struct GluedScan {
  // The number of values of the line, also of those that did not fit. 0 if
  // ScanGlued returns 0 for a word.
  size_t values = 0;
  // The first word that has several numbers: its index, its size, and how many
  // numbers it has. All 0 if there is no such word.
  size_t begin = 0;
  size_t size = 0;
  size_t numbers = 0;
};

// Parses each word of `line` with ScanGlued, and writes the values that fit to
// `out`. Values that do not fit are only counted.
GluedScan ScanGluedLine(std::string_view line, std::span<float> out);

}  // namespace bvhmill
