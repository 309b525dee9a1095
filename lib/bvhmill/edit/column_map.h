#pragma once

// Rows to rows where each new value is one old value, scaled and moved. What
// most edits do to the columns of a clip; any number of them in a row are one.

#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

// new = old[source] * factor + bias; bias alone if source is -1.
struct ColumnSource {
  int32_t source = -1;
  double factor = 1;
  double bias = 0;
};

// One entry for each new column.
using ColumnMap = std::vector<ColumnSource>;

// Each column as it is.
ColumnMap IdentityColumns(size_t columns);

// Fills `out`, as long as the map, from `row`. A value that is neither scaled
// nor moved keeps its bits. O(columns).
void MapColumns(const ColumnMap& map, std::span<const float> row,
                std::span<float> out);

// A skeleton that is being edited, and where the values of its columns come
// from. The two always have as many columns.
struct EditedSkeleton {
  Skeleton skeleton;
  ColumnMap columns;
};

}  // namespace bvhmill
