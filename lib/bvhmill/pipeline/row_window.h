#pragma once

// Rows with those around them. Private to pipeline/.

#include <cstdint>
#include <span>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/pipeline/output_stage.h"

namespace bvhmill {

// Takes rows as they come and gives them on as soon as the row behind them is
// there, with the rows next to them.
class RowWindow {
 public:
  // Rows of `width` values; forgets all others.
  void Begin(int64_t width);
  // Takes `frames` more rows. Call Take before the next Add.
  void Add(int64_t frames, std::span<const float> values);
  // What can be given on: all that were added but the last, or that one, too,
  // if it `is_end`. Frames may be 0. Void after the next Add.
  TileRows Take(bool is_end);

 private:
  size_t width_ = 0;
  // Of the clip, given on.
  int64_t given_ = 0;
  // Rows in values_: the last one given on, if there was any, and those that
  // wait.
  int64_t held_ = 0;
  UninitializedVector<float> values_;
};

}  // namespace bvhmill
