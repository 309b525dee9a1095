#include "bvhmill/pipeline/internal/rows/row_window.h"

#include <algorithm>

namespace bvhmill {

void RowWindow::Begin(int64_t width) {
  width_ = static_cast<size_t>(width);
  first_ = held_ = given_ = 0;
  values_.clear();
}

void RowWindow::Add(int64_t frames, std::span<const float> values) {
  // Only the last of the rows that were given on is still a neighbour.
  const int64_t drop = std::max<int64_t>(given_ - 1, 0);
  const auto begin = values_.begin();
  values_.erase(begin, begin + drop * static_cast<int64_t>(width_));
  values_.insert(values_.end(), values.begin(), values.end());
  first_ += drop;
  held_ += frames - drop;
  given_ -= drop;
}

TileRows RowWindow::Take(bool is_end) {
  const auto slice = [this](int64_t from, int64_t to) {
    return std::span<const float>(values_).subspan(
        static_cast<size_t>(from) * width_,
        static_cast<size_t>(to - from) * width_);
  };
  TileRows rows;
  const int64_t end = is_end ? held_ : std::max(held_ - 1, given_);
  rows.first_frame = first_ + given_;
  rows.frames = end - given_;
  rows.has_before = given_ > 0;
  rows.has_after = end < held_;
  rows.values = slice(given_, end);
  rows.around =
      slice(given_ - (rows.has_before ? 1 : 0), end + (rows.has_after ? 1 : 0));
  given_ = end;
  return rows;
}

}  // namespace bvhmill
