#pragma once

// Reads one line of MOTION into floats.

#include <cstddef>
#include <span>
#include <string_view>

#include "bvhmill/text/number.h"

namespace bvhmill {

enum class RowEnd {
  kLine,    // the line ended
  kFull,    // `out` is full and another word follows
  kNumber,  // the next word is not a number of the grammar
};

struct LineScan {
  // Values written to `out`.
  size_t values = 0;
  RowEnd end = RowEnd::kLine;
  // Where reading stopped: the first byte of the word that was not taken, or
  // the size of the line.
  size_t stop = 0;
  // Some values are not finite, or became so as float.
  bool has_non_finite = false;
};

// Reads words of `line` from byte `start` on as numbers, each correctly rounded
// to double and then to float. Stops at the first word that is not a number or
// does not fit into `out`. Takes no memory.
LineScan ScanLine(std::string_view line, size_t start, std::span<float> out);

}  // namespace bvhmill
