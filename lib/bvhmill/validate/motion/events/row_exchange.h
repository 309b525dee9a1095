#pragma once

// Compares the kinks around two rows with those that there would be if the
// rows changed places. Private to validate/motion/.

#include <cstdint>
#include <vector>

#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {

// The angles of a row and of its neighbours.
struct RowWindow {
  // Rows on each side.
  static constexpr int64_t kBeside = 2;
  static constexpr int64_t kRows = 2 * kBeside + 1;

  // The number of the row in the middle.
  int64_t frame = 0;
  // kRows x angles, in degrees: the columns of rotations in the order of
  // MotionClip::columns.
  std::vector<float> angles;

  // Requires |of - frame| <= kBeside.
  const float* RowOf(int64_t of) const;
};

// Copies the rows around `frame`, which must be in the block or in the frames
// before it. O(angles).
void TakeRows(const MotionClip& clip, const MotionBlock& block, int64_t frame,
              RowWindow* window);

// The sums of |x(t-1) - 2 x(t) + x(t+1)| over the angles x and over the frames
// t in which they depend on one of two rows, in degrees.
struct RowExchange {
  // With the rows as they are, and with each in the place of the other.
  double before = 0;
  double after = 0;
  // Joints whose sum falls by a quarter at least.
  int64_t joints = 0;
};

// Measures the exchange of the middle rows of two windows of `clip`. A summand
// counts as at most `cap`, so that an angle which wraps around counts little.
// Requires first.frame < second.frame. O(angles).
RowExchange MeasureExchange(const MotionClip& clip, const RowWindow& first,
                            const RowWindow& second, double cap);

}  // namespace bvhmill
