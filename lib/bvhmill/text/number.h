#pragma once

// Numbers of BVH text. The grammar is
//   [+-]? (digits [. digits?] | . digits) ([eE] [+-]? digits)?
// and nothing else: no decimal comma, no hexadecimal, no separators. The
// spellings of "not a number" and of infinity that C libraries print are told
// apart, so that a reader can keep them and say so.

#include <string_view>

namespace bvhmill {

enum class NumberKind {
  kFinite,      // of the grammar above
  kOutOfRange,  // of the grammar above, but not finite as float
  kNotFinite,   // nan, inf, -1.#IND00 and their kin
  kInvalid,
};

struct Number {
  NumberKind kind = NumberKind::kInvalid;
  // Correctly rounded; 0 if invalid.
  double value = 0;
};

// Reads the whole of `word`. Locale-independent; takes no memory.
Number ParseNumber(std::string_view word);

}  // namespace bvhmill
