#include "bvhmill/edit/column_map.h"

namespace bvhmill {
namespace {

float MapValue(const ColumnSource& column, std::span<const float> row) {
  if (column.source < 0) return static_cast<float>(column.bias);
  const float value = row[static_cast<size_t>(column.source)];
  if (column.factor == 1 && column.bias == 0) return value;
  // Adding a bias of 0 also turns -0 into 0.
  return static_cast<float>(value * column.factor + column.bias);
}

}  // namespace

ColumnMap IdentityColumns(size_t columns) {
  ColumnMap map(columns);
  for (size_t i = 0; i < columns; ++i) map[i].source = static_cast<int32_t>(i);
  return map;
}

void MapColumns(const ColumnMap& map, std::span<const float> row,
                std::span<float> out) {
  for (size_t i = 0; i < map.size(); ++i) out[i] = MapValue(map[i], row);
}

}  // namespace bvhmill
