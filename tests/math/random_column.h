#pragma once

// Columns of a block of frames for tests.

#include <random>
#include <vector>

#include "bvhmill/math/motion_steps.h"

namespace bvhmill {

using Column = std::vector<float>;

// kStepStride values, each at most `size` from the one before.
inline Column RandomColumn(float size, std::mt19937* random) {
  std::uniform_real_distribution<float> unit(-1, 1);
  Column column(kStepStride);
  float value = 400 * unit(*random);
  for (float& v : column) v = value += size * unit(*random);
  return column;
}

}  // namespace bvhmill
