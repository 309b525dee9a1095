#pragma once

// The few rows of a clip that rules look at.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace bvhmill {

// The first row, the last one whose number is a power of two, and the last one:
// they can be told whether a clip is there as a whole or comes in pieces.
class RowSamples {
 public:
  static constexpr size_t kCount = 3;

  // For rows of `width` values; forgets all others.
  void Begin(int64_t width);
  // The next `frames` rows.
  void Add(int64_t frames, std::span<const float> values);

  // Rows that came.
  int64_t frames() const { return frames_; }
  // Rows may be the same. Void if none came.
  std::span<const float> row(size_t i) const {
    return std::span(values_).subspan(i * width_, width_);
  }

 private:
  void Keep(size_t i, std::span<const float> values, int64_t frame);

  size_t width_ = 0;
  int64_t frames_ = 0;
  std::vector<float> values_;
};

}  // namespace bvhmill
