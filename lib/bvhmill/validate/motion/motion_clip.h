#pragma once

// A clip as the motion rules see it: its tracks, and what is summed over all
// frames of it.
//
// With the local rotation of a joint in frame t as a unit quaternion q(t), its
// sign chosen so that q(t) . q(t-1) >= 0, and dq(t) = q(t) - q(t-1):
//
//   step(t)  = |dq(t)|^2            the angle from t-1 to t is 2 |dq(t)|
//   kink(t)  = |dq(t+1) - dq(t)|^2  the angle from q(t) to the middle of its
//                                   neighbours is |dq(t+1) - dq(t)|
//
// in radians, for angles that are small. dq(t) . dq(t+1) < 0, the joint turns
// back, is kink(t) > step(t) + step(t+1). |q(t+1) - q(t-1)|^2 is
// 2 (step(t) + step(t+1)) - kink(t). For position channels p takes the place of
// q: the way from t-1 to t is |dp(t)|, and the distance from the middle is
// |dp(t+1) - dp(t)| / 2.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/clip/skeleton.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/math/motion_columns.h"
#include "bvhmill/report/thresholds.h"
#include "bvhmill/validate/motion/motion_facts.h"

namespace bvhmill {

enum class TrackKind { kRotation, kPosition };

// The rotation channels of a joint, or its position channels.
struct MotionTrack {
  TrackKind kind = TrackKind::kRotation;
  int32_t node = 0;
  // A slice of MotionClip::columns: the outermost rotation first.
  int32_t first_column = 0;
  int32_t column_count = 0;
};

struct TrackColumn {
  int32_t column = 0;
  // 0, 1 or 2 for X, Y or Z.
  int32_t axis = 0;
};

// Sums over all frames of a track. Steps and kinks are squares; sums are sums
// of their roots.
struct TrackSums {
  double steps = 0;
  // With roots of at most kCapDegrees.
  double capped_steps = 0;
  double capped_kinks = 0;
  // Squares of kinks of at most kCalmDegrees.
  double calm_squares = 0;
  float max_step = 0;
  float max_kink = 0;
  // The steps of frames 0 to 8, of the last frame and of the one before.
  std::array<float, 9> first_steps = {};
  float last_step = 0;
  float step_before_last = 0;
  // The kinks of frame 1 and of the frame before the last.
  float first_kink = 0;
  float last_kink = 0;

  // Adds the sums of later frames.
  void Add(const TrackSums& later);
};
inline constexpr double kCapDegrees = 20;
inline constexpr double kCalmDegrees = 10;
// A kink above this counts as this in the totals of frames, at 60 frames a
// second or more. At lower rates kinks are larger, and so is the limit.
inline constexpr double kTotalDegrees = 5;

// Sums over the rotation tracks in each frame (StepTotals of
// math/motion_sums.h). Values around the clip are 0: each array has kMargin of
// them before frame 0 and after the last frame.
struct FrameTotals {
  static constexpr size_t kMargin = 16;
  float max_kink = 0;
  std::vector<float> steps;
  std::vector<float> kinks;
  std::vector<float> turning;
  std::vector<float> excess;
  std::vector<float> jumpers;

  // `frames` + 2 kMargin zeros each.
  void Begin(int64_t frames);
  // The value of frame 0.
  static const float* FrameZero(const std::vector<float>& values) {
    return values.data() + kMargin;
  }
};

struct MotionClip {
  const Skeleton* skeleton = nullptr;
  const Thresholds* thresholds = nullptr;
  MotionFacts* facts = nullptr;
  // Seconds; 0 if the file does not say.
  double frame_time = 0;
  // frames x channels.
  int64_t frames = 0;
  std::span<const float> values;
  // Rotations in the order of joints, then positions in the order of joints.
  std::vector<MotionTrack> tracks;
  std::vector<TrackColumn> columns;
  // The number of rotation tracks.
  size_t rotations = 0;
  // One for each track. Known when all frames were looked at, as are the totals
  // and the extremes of channels.
  std::vector<TrackSums> sums;
  FrameTotals totals;
  std::vector<ColumnRange> ranges;

  std::span<const TrackColumn> ColumnsOf(const MotionTrack& track) const {
    return std::span(columns).subspan(static_cast<size_t>(track.first_column),
                                      static_cast<size_t>(track.column_count));
  }
  std::span<const float> Row(int64_t frame) const {
    const size_t width = skeleton->channels.size();
    return values.subspan(static_cast<size_t>(frame) * width, width);
  }
  double operator[](Threshold threshold) const {
    return (*thresholds)[threshold];
  }
};

// The pose of a track in a frame: a rotation, or a position as the first three
// components.
Quat<double> PoseAt(const MotionClip& clip, const MotionTrack& track,
                    int64_t frame);
// The square of the distance of two poses, as a step has it.
double StepBetween(const Quat<double>& a, const Quat<double>& b);
// The sum of the steps of all rotation tracks over the clip.
double AllSteps(const MotionClip& clip);

// Starts a clip of `values`: its tracks, and totals that are 0. Uses its memory
// again. O(nodes + frames).
void BeginMotionClip(const Skeleton& skeleton, std::span<const float> values,
                     int64_t frames, MotionClip* clip);

}  // namespace bvhmill
