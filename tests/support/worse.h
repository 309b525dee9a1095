#pragma once

// The largest of many errors, where std::max would lose one that is NaN.

#include <cmath>

namespace bvhmill::testing {

// The larger one of two errors; NaN if one of them is NaN. So the largest of
// all, worst = Worse(worst, error), is within no bound if a value is NaN.
template <typename T>
T Worse(T a, T b) {
  return a >= b || std::isnan(a) ? a : b;
}

}  // namespace bvhmill::testing
