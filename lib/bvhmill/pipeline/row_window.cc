#include "bvhmill/pipeline/row_window.h"

#include <algorithm>

namespace bvhmill {

void RowWindow::Begin(int64_t width) {
  width_ = static_cast<size_t>(width);
  given_ = held_ = 0;
  values_.clear();
}

void RowWindow::Add(int64_t frames, std::span<const float> values) {
  // Of what was given on, only the last row is still a neighbour.
  const int64_t kept = std::min<int64_t>(held_, given_ > 0 ? 2 : held_);
  const auto drop = static_cast<size_t>(held_ - kept) * width_;
  values_.erase(values_.begin(), values_.begin() + static_cast<int64_t>(drop));
  values_.insert(values_.end(), values.begin(), values.end());
  held_ = kept + frames;
}

TileRows RowWindow::Take(bool is_end) {
  TileRows rows;
  rows.first_frame = given_;
  rows.has_before = given_ > 0;
  const int64_t before = rows.has_before ? 1 : 0;
  const int64_t waiting = held_ - before;
  rows.has_behind = !is_end;
  rows.frames = std::max<int64_t>(waiting - (is_end ? 0 : 1), 0);
  rows.around = values_;
  rows.values = rows.around.subspan(static_cast<size_t>(before) * width_,
                                    static_cast<size_t>(rows.frames) * width_);
  given_ += rows.frames;
  return rows;
}

}  // namespace bvhmill
