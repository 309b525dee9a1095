#pragma once

// Rows with those around them. Private to pipeline/.

#include <cstdint>
#include <span>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/pipeline/internal/tile.h"

namespace bvhmill {

// Takes rows as they come and gives them on as soon as the row behind them is
// there, with the rows next to them.
class RowWindow {
 public:
  // Rows of `width` values; forgets all others.
  void Begin(int64_t width);
  // Takes `frames` more rows.
  void Add(int64_t frames, std::span<const float> values);
  // What can be given on and was not: all but the last row, or that one, too,
  // if there `is_end`. Frames may be 0. Void after the next Add.
  TileRows Take(bool is_end);

 private:
  size_t width_ = 0;
  // The first frame of values_, how many there are, and those given on.
  int64_t first_ = 0;
  int64_t held_ = 0;
  int64_t given_ = 0;
  UninitializedVector<float> values_;
};

}  // namespace bvhmill
