#pragma once

// Steps and kinks (motion_clip.h) in degrees and in shares of the reach, and
// parts of issues about motion. Private to validate/motion/.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>

#include "bvhmill/report/report.h"
#include "bvhmill/validate/motion/motion_clip.h"

namespace bvhmill {

inline constexpr double kDegrees = 180 / std::numbers::pi;

// The angle of a step and of a kink of a rotation, in degrees. StepDegrees
// measures a large step by its chord, as rules compare it; AngleDegrees is
// exact, as issues state it.
inline double StepDegrees(double step) {
  return 2 * kDegrees * std::sqrt(step);
}
inline double KinkDegrees(double kink) { return kDegrees * std::sqrt(kink); }
inline double AngleDegrees(double step) {
  return 4 * kDegrees * std::asin(std::min(std::sqrt(step) / 2, 1.0));
}

// The exact angle by which one frame is off, if its neighbours are equal.
inline double OffDegrees(double kink) { return AngleDegrees(kink / 4); }

// The step or the kink of an angle.
inline float StepOf(double degrees) {
  const double half = degrees / 2 / kDegrees;
  return static_cast<float>(half * half);
}
inline float KinkOf(double degrees) {
  const double radians = degrees / kDegrees;
  return static_cast<float>(radians * radians);
}

// The frames of some time, rounded; at most 1e9. Requires dt > 0.
inline int64_t WholeFrames(double seconds, double dt) {
  constexpr double kMost = 1e9;
  return static_cast<int64_t>(std::min(std::round(seconds / dt), kMost));
}

// The first index from `i` to `last` - 1 that `matches`, or `last`. Compilers
// make vectors of a group of frames if `matches` has no branches.
template <typename Matches>
size_t FirstOf(size_t i, size_t last, const Matches& matches) {
  constexpr size_t kGroup = 8;
  for (; i + kGroup <= last; i += kGroup) {
    int any = 0;
    for (size_t k = 0; k < kGroup; ++k) any |= matches(i + k) ? 1 : 0;
    if (any != 0) break;
  }
  while (i < last && !matches(i)) ++i;
  return i;
}

// Adds two args: "seconds" is the time that `frames` frames last, and
// "duration" is `before` and that time in words. If the file states no rate,
// there are no "seconds", and "duration" is empty.
void AddSeconds(const MotionClip& clip, int64_t frames, const char* before,
                IssueArgs* args);

// The place of an issue about `node`, with its name. No line is known.
Location MotionLocation(const MotionClip& clip, int32_t node, int64_t frame);
// The place of an issue about a whole row.
Location FrameLocation(int64_t frame);
// The name of `node` in quotes.
std::string QuotedNode(const MotionClip& clip, int32_t node);

}  // namespace bvhmill
