#include "bvhmill/validate/row_samples.h"

#include <algorithm>
#include <bit>

namespace bvhmill {

void RowSamples::Begin(int64_t width) {
  width_ = static_cast<size_t>(width);
  frames_ = 0;
  values_.assign(kCount * width_, 0.0F);
}

void RowSamples::Keep(size_t i, std::span<const float> values, int64_t frame) {
  const auto row =
      values.subspan(static_cast<size_t>(frame - frames_) * width_, width_);
  std::copy(row.begin(), row.end(), values_.data() + i * width_);
}

void RowSamples::Add(int64_t frames, std::span<const float> values) {
  if (frames <= 0) return;
  const int64_t last = frames_ + frames - 1;
  const auto power =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(last)));
  if (frames_ == 0) Keep(0, values, 0);
  if (power >= frames_) Keep(1, values, power);
  Keep(2, values, last);
  frames_ += frames;
}

}  // namespace bvhmill
