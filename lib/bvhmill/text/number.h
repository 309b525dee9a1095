#pragma once

// Parses the numbers of BVH text. The grammar is
//
//   [+-]? (digits [. digits?] | . digits) ([eE] [+-]? digits)?
//
// and nothing else: no decimal comma, no hexadecimal, no separators. The forms
// in which C libraries print "not a number" and infinity have a kind of their
// own, so that a reader can keep such values and report them.

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

// Parses all of `word`. Does not depend on the locale and allocates no memory.
Number ParseNumber(std::string_view word);

}  // namespace bvhmill
