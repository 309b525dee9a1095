#pragma once

// Maps rows to rows: each new value is one old value, scaled and shifted. Most
// edits to the columns of a clip are such maps. Successive maps are combined
// into one.

#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

// new = old[source] * factor + bias. If `source` is -1: new = bias.
struct ColumnSource {
  int32_t source = -1;
  double factor = 1;
  double bias = 0;
};

// One entry for each column of the new row.
using ColumnMap = std::vector<ColumnSource>;

// The map that leaves each column as it is.
ColumnMap IdentityColumns(size_t columns);

// Fills `out` from `row`. `out` must be as long as the map and must not overlap
// `row`, which must have every source. A value that is neither scaled nor
// shifted keeps its bits. O(columns).
void MapColumns(const ColumnMap& map, std::span<const float> row,
                std::span<float> out);

// A skeleton that is being edited, and the source of each of its columns. Both
// always have the same number of columns.
struct EditedSkeleton {
  Skeleton skeleton;
  ColumnMap columns;
};

}  // namespace bvhmill
