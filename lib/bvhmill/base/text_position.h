#pragma once

// A place in a text.

#include <cstdint>

namespace bvhmill {

// Line and column count from 1, the column in bytes.
struct TextPosition {
  int64_t offset = 0;
  int64_t line = 1;
  int32_t column = 1;
};

}  // namespace bvhmill
