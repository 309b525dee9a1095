#pragma once

// Rows together with their neighbours. Private to pipeline/.

#include <cstdint>
#include <span>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/pipeline/internal/rows/tile.h"

namespace bvhmill {

// Takes rows as they come, and gives each on, with its neighbours, when the
// next row is there.
class RowWindow {
 public:
  // Starts a clip with rows of `width` values.
  void Begin(int64_t width);
  // Takes `frames` more rows.
  void Add(int64_t frames, std::span<const float> values);
  // The rows that were not given on yet: all but the last one, which is
  // included if the clip `is_end`ed. Frames may be 0. Valid until the next Add.
  TileRows Take(bool is_end);

 private:
  size_t width_ = 0;
  // The number of the first frame in values_, the frames there, and those of
  // them that were given on.
  int64_t first_ = 0;
  int64_t held_ = 0;
  int64_t given_ = 0;
  UninitializedVector<float> values_;
};

}  // namespace bvhmill
