#pragma once

// Rules about the steps of joints from frame to frame. The observer of
// motion_rules.h computes the steps of all joints once, in blocks of frames,
// and gives them to each rule. A new rule is a file that implements MotionRule
// and a row of rules.inc.
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

#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/clip/skeleton.h"
#include "bvhmill/math/motion_columns.h"
#include "bvhmill/math/motion_steps.h"
#include "bvhmill/math/motion_sums.h"
#include "bvhmill/report/issue_log.h"
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

// Sums over all frames of a track so far. Steps and kinks are squares; sums are
// sums of their roots.
struct TrackSums {
  double steps = 0;
  // With roots of at most kCapDegrees.
  double capped_steps = 0;
  double capped_kinks = 0;
  // Squares of kinks of at most kCalmDegrees.
  double calm_squares = 0;
  float max_step = 0;
  // The steps of frames 1 and 2, and of the last frame and the one before.
  float first_step = 0;
  float second_step = 0;
  float last_step = 0;
  float step_before_last = 0;
  // The kinks of frame 1 and of the frame before the last.
  float first_kink = 0;
  float last_kink = 0;
};
inline constexpr double kCapDegrees = 20;
inline constexpr double kCalmDegrees = 10;
// A kink above this counts as this in the totals of frames, at 60 frames a
// second or more. At lower rates kinks are larger, and so is the limit.
inline constexpr double kTotalDegrees = 5;

class CutFinder;

// The clip that rules look at. Stays until Finish.
struct MotionClip {
  const Skeleton* skeleton = nullptr;
  const Thresholds* thresholds = nullptr;
  MotionFacts* facts = nullptr;
  const CutFinder* cuts = nullptr;
  // Seconds; 0 if the file does not say.
  double frame_time = 0;
  // Rotations in the order of joints, then positions in the order of joints.
  std::vector<MotionTrack> tracks;
  std::vector<TrackColumn> columns;
  // The number of rotation tracks.
  size_t rotations = 0;
  // One for each track.
  std::vector<TrackSums> sums;

  std::span<const TrackColumn> ColumnsOf(const MotionTrack& track) const {
    return std::span(columns).subspan(static_cast<size_t>(track.first_column),
                                      static_cast<size_t>(track.column_count));
  }
  double operator[](Threshold threshold) const {
    return (*thresholds)[threshold];
  }
};

// The row is equal to the row before; it is so apart from the channels of the
// first joint.
enum RowRepeat : uint8_t { kRowRepeats = 1, kPoseRepeats = 2 };

// The frames first .. first + frames - 1 and the kStepLead frames before them.
// Index i of an array is frame first - kStepLead + i. Values of frames before
// frame 0 are those of frame 0; steps and kinks there and after the end of the
// clip are 0. Blocks begin at the same frames however rows arrive, so that sums
// do not depend on it. Valid during Add only.
struct MotionBlock {
  int64_t first = 0;
  int64_t frames = 0;
  // No block follows: the clip has first + frames frames.
  bool is_last = false;
  // Values between the arrays of two tracks, or of two columns.
  size_t stride = 0;
  // An array for each track. The step of frame 0 is 0. The kink of the last
  // frame of the block is known in the next block only; those of frame 0 and of
  // the last frame of the clip are 0.
  std::span<const float> steps;
  std::span<const float> kinks;
  // An array for each channel.
  std::span<const float> values;
  // The largest step of each track in this block, and its largest kink from the
  // last frame of the block before on.
  std::span<const float> max_steps;
  std::span<const float> max_kinks;
  // The smallest step of each track in this block, 0 after the end of the clip;
  // and the largest step that a reversal takes back (StepSums::max_turn).
  std::span<const float> min_steps;
  std::span<const float> max_turns;
  // The frames of this block, and the last one of the block before, at which
  // each track turns back.
  std::span<const TurnBits> turns;
  // For each channel, the extremes of this block; and for each track, the
  // largest difference of a channel between neighbours.
  std::span<const ColumnRange> ranges;
  std::span<const float> changes;
  // For each frame of the block, as bits of RowRepeat.
  std::span<const uint8_t> repeats;
  // Sums over rotation tracks.
  const StepTotals* totals = nullptr;

  const float* StepsOf(size_t track) const {
    return steps.data() + track * stride;
  }
  const float* KinksOf(size_t track) const {
    return kinks.data() + track * stride;
  }
  const float* ValuesOf(int32_t column) const {
    return values.data() + static_cast<size_t>(column) * stride;
  }
  size_t IndexOf(int64_t frame) const {
    return static_cast<size_t>(frame - first + int64_t{kStepLead});
  }
  // The frame of index `i`.
  int64_t FrameOf(size_t i) const {
    return first - int64_t{kStepLead} + static_cast<int64_t>(i);
  }
  int64_t end() const { return first + frames; }
  // The frames that a rule handles that needs the steps and kinks of `later`
  // frames after each: from the returned one up to EndFor(later) - 1.
  int64_t BeginFor(int64_t later) const {
    return first < later ? 0 : first - later;
  }
  int64_t EndFor(int64_t later) const {
    return is_last ? end() : end() - later;
  }
};

// Used by one thread at a time. No function may fail; each may throw
// std::bad_alloc.
class MotionRule {
 public:
  virtual ~MotionRule() = default;
  // Starts a clip and forgets the previous one, which may not have finished.
  // `clip` stays until Finish. Takes at most kRuleTrackBytes for each track.
  virtual void Begin(const MotionClip& clip) = 0;
  virtual void Add(const MotionBlock& block) = 0;
  // All frames came, and all values are finite. Logs what was found.
  virtual void Finish(IssueLog* log) = 0;
};
inline constexpr int64_t kRuleTrackBytes = 128;
// All rules together keep this much for each channel: some rows.
inline constexpr int64_t kRuleChannelBytes = 100;

}  // namespace bvhmill
