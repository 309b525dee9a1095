#include "bvhmill/validate/floor/pair_samples.h"

#include <algorithm>

namespace bvhmill {

void PairSamples::Begin(size_t width) {
  width_ = width;
  frames_ = 0;
  stride_ = 1;
  count_ = 0;
  previous_.assign(width, 0.0F);
  values_.clear();
}

void PairSamples::Add(std::span<const float> frame) {
  const int64_t number = frames_++;
  if (number > 0 && IsMultiple(number)) {
    if (count_ == kMost) Halve();
    // Halving doubles the stride.
    if (IsMultiple(number)) {
      values_.insert(values_.end(), previous_.begin(), previous_.end());
      values_.insert(values_.end(), frame.begin(), frame.end());
      ++count_;
    }
  }
  // Needed if the next frame ends a pair.
  if (IsMultiple(number + 1)) {
    std::copy(frame.begin(), frame.end(), previous_.begin());
  }
}

// Keeps the pairs whose frame is a multiple of the doubled stride: the second,
// the fourth, and so on.
void PairSamples::Halve() {
  const size_t pair = 2 * width_;
  count_ /= 2;
  for (int64_t i = 0; i < count_; ++i) {
    const auto from = static_cast<ptrdiff_t>(pair) * (2 * i + 1);
    const auto to = static_cast<ptrdiff_t>(pair) * i;
    std::copy(values_.begin() + from,
              values_.begin() + from + static_cast<ptrdiff_t>(pair),
              values_.begin() + to);
  }
  values_.resize(pair * static_cast<size_t>(count_));
  stride_ *= 2;
}

}  // namespace bvhmill
