#pragma once

// How much each joint turns from frame to frame, in constant memory.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "client/cli/picture/clip_picture.h"

namespace bvhmill::client {

// Takes one value of each series for each frame. Keeps the smallest and the
// largest value of each range of frames. When the ranges become too many, each
// two neighbours become one. So a single large value stays visible in a clip of
// any length.
class TurnCurves {
 public:
  // The most ranges that are kept; an even number.
  static constexpr size_t kMaxValues = 128;

  // Memory: 1 KB for each series.
  explicit TurnCurves(size_t series);

  // Adds the values of the next frame, one for each series. Values that are not
  // finite are left out. O(series).
  void Add(std::span<const float> values);

  int64_t frames_per_value() const { return frames_per_value_; }
  // The curve of a series; its joint is not set.
  TurnCurve CurveOf(size_t series) const;

 private:
  struct Range {
    float low;
    float high;
  };

  void Merge();

  size_t series_;
  int64_t frames_ = 0;
  int64_t frames_per_value_ = 1;
  // Range by range, in each of them one entry for each series.
  std::vector<Range> ranges_;
};

}  // namespace bvhmill::client
