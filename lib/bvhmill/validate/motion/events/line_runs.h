#pragma once

// Finds frames in which all joints move along straight lines: a gap that was
// filled, or frames between two keys. Private to validate/motion/.

#include <cstdint>

#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {

// The frames first .. last lie between frames that were captured. The steps
// from there add up to `steps`, the kinks there to `kinks`: sums of roots over
// all joints.
struct LineRun {
  int64_t first = 0;
  int64_t last = -1;
  double steps = 0;
  double kinks = 0;

  int64_t frames() const { return last - first + 1; }
};

// A frame lies on a line if its kinks are small, compared with the steps after
// it: those of a motion that changes its direction less than
// DATA_INTERPOLATED.line_hertz times a second.
class LineRuns {
 public:
  void Begin(const MotionClip& clip);
  void Add(const MotionBlock& block);
  void Finish();

  // The longest run of DATA_INTERPOLATED.line_seconds or more, without frames
  // if there is none, and the number of them. Call them after Finish.
  const LineRun& longest() const { return longest_; }
  int64_t runs() const { return runs_; }

 private:
  void EndRun();

  const MotionClip* clip_ = nullptr;
  // Kinks are at most this multiple of steps.
  float most_ratio_ = 0;
  float least_steps_ = 0;
  LineRun run_;
  LineRun longest_;
  int64_t runs_ = 0;
};

}  // namespace bvhmill
