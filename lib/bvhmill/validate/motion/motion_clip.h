#pragma once

// A clip as the motion rules see it: its tracks, their steps and kinks summed
// over all frames, and the facts that rules share.
//
// A track is the rotation channels of a joint, or its position channels. With
// the local rotation of a joint in frame t as a unit quaternion q(t), its sign
// chosen so that q(t) . q(t-1) >= 0, and dq(t) = q(t) - q(t-1):
//
//   step(t) = |dq(t)|^2            the angle from t-1 to t is 2 |dq(t)|
//   kink(t) = |dq(t+1) - dq(t)|^2  the angle from q(t) to the middle of its
//                                  neighbours is |dq(t+1) - dq(t)|
//
// in radians, for small angles. The joint turns back, dq(t) . dq(t+1) < 0, if
// kink(t) > step(t) + step(t+1). |q(t+1) - q(t-1)|^2 is
// 2 (step(t) + step(t+1)) - kink(t). For position channels the position p takes
// the place of q: the way from t-1 to t is |dp(t)|, and the distance from the
// middle of the neighbours is |dp(t+1) - dp(t)| / 2.
//
// Rules compare steps and kinks as they are or in degrees (StepDegrees), and
// lengths in shares of the reach.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/math/motion_steps.h"
#include "bvhmill/report/report.h"
#include "bvhmill/report/thresholds.h"

namespace bvhmill {

// Facts about a clip that rules of all kinds share. The caller of CheckMotion
// writes the first part.
struct MotionFacts {
  // The frame time in seconds. 1/30 for rules that depend on the rate, if the
  // clip states none within (0, 0.2).
  double dt = 1.0 / 30;
  // The longest way from a root to a leaf (ReachOf of clip/clip.h), in the unit
  // of the clip. Independent of the pose; 0.75 to 0.85 of the height of most
  // bodies. 0 if the size of the figure is not known: rules that compare with
  // it then log nothing.
  double reach = 0;
  // The joint that the caller states as body root; -1 if it states none.
  int32_t stated_root = -1;

  // The motion rules (motion/motion_rules.h), which run first, write the rest
  // but for has_global_positions and seems_z_up.

  int64_t frames = 0;
  // Rows with a value that is not finite. All rules but DATA_NOT_FINITE skip a
  // clip with such a row.
  int64_t non_finite_rows = 0;
  // Many rows repeat the row before, so that each new pose is a step. Rules
  // about single steps then log nothing.
  bool has_many_repeats = false;
  // The first or the last frame is no part of the motion: it stands apart from
  // its neighbour. Rules about positions, floor and feet do not count it.
  bool first_apart = false;
  bool last_apart = false;
  // Frames at which many joints step at once (DATA_CUT), ascending.
  std::vector<int64_t> cuts;

  // Position channels of joints are places in the world, so their distance from
  // the parent is no bone length. CheckSamples writes this and the next one.
  bool has_global_positions = false;
  // The rest pose and the height of the root hint that Z is up.
  bool seems_z_up = false;
  // The body root of the first ROOT (skeletons/body_root.h): the stated one if
  // it is a joint of the trunk.
  int32_t body_root = 0;
  // For each channel: 1 if its values differ. Valid until the next clip is
  // checked.
  std::span<const uint8_t> moving_columns;

  // The frames that belong to the motion: first to last, both included.
  int64_t first_frame() const { return first_apart ? 1 : 0; }
  int64_t last_frame() const { return frames - (last_apart ? 2 : 1); }
};

// Tracks.

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

// Sums over all frames of a track. Steps and kinks are squares; `steps` and the
// capped sums add up their roots.
struct TrackSums {
  double steps = 0;
  // With steps and kinks above kCapDegrees counted as kCapDegrees.
  double capped_steps = 0;
  double capped_kinks = 0;
  // The sum of kinks themselves, those above kCalmDegrees counted as
  // kCalmDegrees.
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

// Sums over the rotation tracks in each frame (StepTotals of
// math/motion_steps.h). Each array has kMargin zeros before frame 0 and after
// the last frame.
struct FrameTotals {
  static constexpr size_t kMargin = 16;
  // A larger kink of a track counts as this.
  float max_kink = 0;
  std::vector<float> steps;
  std::vector<float> kinks;
  std::vector<float> turning;
  std::vector<float> excess;
  std::vector<float> jumpers;

  // Sets each array to `frames` + 2 kMargin zeros.
  void Begin(int64_t frames);
  // The value of frame 0.
  static const float* FrameZero(const std::vector<float>& values) {
    return values.data() + kMargin;
  }
};

// The rows of a clip, its tracks, and the sums. Points to the skeleton,
// thresholds, facts and values of its caller.
struct MotionClip {
  const Skeleton* skeleton = nullptr;
  const Thresholds* thresholds = nullptr;
  MotionFacts* facts = nullptr;
  // Seconds; 0 if the file states none.
  double frame_time = 0;
  // frames x channels.
  int64_t frames = 0;
  std::span<const float> values;
  // Rotations in the order of joints, then positions in the order of joints.
  std::vector<MotionTrack> tracks;
  std::vector<TrackColumn> columns;
  // The number of rotation tracks.
  size_t rotations = 0;
  // By track. Complete in MotionRule::Decide, as are the totals and the
  // extremes of the channels.
  std::vector<TrackSums> sums;
  FrameTotals totals;
  // By channel.
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

// Starts a clip of `values`: sets its tracks, and its sums and totals to 0.
// Reuses its memory. O(nodes + frames).
void BeginMotionClip(const Skeleton& skeleton, std::span<const float> values,
                     int64_t frames, MotionClip* clip);

// Poses and steps of single frames, in double precision.

// The pose of a track in a frame: a rotation, or a position as the first three
// components.
Quat<double> PoseAt(const MotionClip& clip, const MotionTrack& track,
                    int64_t frame);
// The step from pose `a` to `b` of one track: the square of their distance.
double StepBetween(const Quat<double>& a, const Quat<double>& b);
// The sum of the steps of all rotation tracks over the clip.
double AllSteps(const MotionClip& clip);

// Steps and kinks in degrees.

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

// The step and the kink of an angle.
inline float StepOf(double degrees) {
  const double half = degrees / 2 / kDegrees;
  return static_cast<float>(half * half);
}
inline float KinkOf(double degrees) {
  const double radians = degrees / kDegrees;
  return static_cast<float>(radians * radians);
}

// The number of frames in `seconds`, rounded; at most 1e9. Requires dt > 0.
inline int64_t WholeFrames(double seconds, double dt) {
  constexpr double kMost = 1e9;
  return static_cast<int64_t>(std::min(std::round(seconds / dt), kMost));
}

// The first index from `i` to `last` - 1 that `matches`, or `last`. Compilers
// vectorize the search if `matches` has no branches.
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

// Parts of issues.

// Adds two args: "seconds" is the time that `frames` frames last, and
// "duration" is `before` followed by that time in words. If the file states no
// rate, it adds no "seconds" and an empty "duration".
void AddSeconds(const MotionClip& clip, int64_t frames, const char* before,
                IssueArgs* args);

// The place of an issue about `node`, with its name. No line is known.
Location MotionLocation(const MotionClip& clip, int32_t node, int64_t frame);
// The place of an issue about a whole row.
Location FrameLocation(int64_t frame);
// The name of `node` in quotes.
std::string QuotedNode(const MotionClip& clip, int32_t node);

}  // namespace bvhmill
