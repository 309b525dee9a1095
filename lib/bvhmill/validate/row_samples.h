#pragma once

// The few rows of a clip that rules examine.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace bvhmill {

// Keeps three rows: the first one, the last one whose index is a power of two,
// and the last one. They are the same rows if a clip is in memory as a whole
// and if it arrives in pieces. In a clip of one row, all three are that row.
class RowSamples {
 public:
  static constexpr size_t kCount = 3;

  // Starts a new clip with rows of `width` values. Drops all earlier rows.
  void Begin(int64_t width);
  // Adds the next `frames` rows: `values` has frames x width values, and is not
  // needed after the call.
  void Add(int64_t frames, std::span<const float> values);

  // Number of rows that were added.
  int64_t frames() const { return frames_; }
  // The values of sample `i`, below kCount; valid until the next Begin or Add.
  // In short clips several samples are the same row. If no row was added, all
  // values are 0.
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
