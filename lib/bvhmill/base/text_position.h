#pragma once

// A position in a text.

#include <cstdint>

namespace bvhmill {

// `offset` counts bytes from 0. `line` and `column` count from 1; the column
// counts bytes.
struct TextPosition {
  int64_t offset = 0;
  int64_t line = 1;
  int32_t column = 1;
};

}  // namespace bvhmill
