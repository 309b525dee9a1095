#pragma once

// Rules about the steps of joints from frame to frame. The observer of
// motion_rules.h computes the steps of all joints once, in blocks of frames,
// and gives them to each rule. A new rule is a file that implements MotionRule
// and a row of the table in motion_rules.cc.
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
// q, and there is no factor 2.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bvhmill/clip/clip.h"
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

// The clip that rules look at. Stays until Finish.
struct MotionClip {
  const Skeleton* skeleton = nullptr;
  const Thresholds* thresholds = nullptr;
  MotionFacts* facts = nullptr;
  // Seconds; 0 if the file does not say.
  double frame_time = 0;
  // Rotations in the order of joints, then positions in the order of joints.
  std::vector<MotionTrack> tracks;
  std::vector<TrackColumn> columns;
  // The number of rotation tracks.
  size_t rotations = 0;

  std::span<const TrackColumn> ColumnsOf(const MotionTrack& track) const {
    return std::span(columns).subspan(static_cast<size_t>(track.first_column),
                                      static_cast<size_t>(track.column_count));
  }
  double operator[](Threshold threshold) const {
    return (*thresholds)[threshold];
  }
};

// Frames before the first one of a block whose data are still there.
inline constexpr int64_t kLead = 8;
// Frames of a block. Blocks begin at multiples of it, however rows arrive, so
// that sums do not depend on it.
inline constexpr int64_t kBlockFrames = 64;
inline constexpr int64_t kBlockStride = kLead + kBlockFrames;

// The frames first .. first + frames - 1 and the kLead frames before them.
// Index i of an array is frame first - kLead + i. Values of frames before frame
// 0 are 0. Valid during Add only.
struct MotionBlock {
  int64_t first = 0;
  int64_t frames = 0;
  // No block follows.
  bool is_last = false;
  // Squared steps and kinks of each track, kBlockStride apart. A kink is known
  // for all frames but the last of the block; that of the last frame of the
  // clip is 0. Steps of frame 0 are 0.
  std::span<const float> steps;
  std::span<const float> kinks;
  // The values of each channel, kBlockStride apart.
  std::span<const float> values;
  // The largest step and kink of each track in this block, and of the kink of
  // the frame before.
  std::span<const float> max_steps;
  std::span<const float> max_kinks;
  // For each frame: the row is equal to the row before.
  std::span<const uint8_t> repeats;

  const float* StepsOf(size_t track) const {
    return steps.data() + track * static_cast<size_t>(kBlockStride);
  }
  const float* KinksOf(size_t track) const {
    return kinks.data() + track * static_cast<size_t>(kBlockStride);
  }
  const float* ValuesOf(size_t column) const {
    return values.data() + column * static_cast<size_t>(kBlockStride);
  }
  // The index of frame `frame`.
  size_t IndexOf(int64_t frame) const {
    return static_cast<size_t>(frame - first + kLead);
  }
};

// Used by one thread at a time. No function may fail; each may throw
// std::bad_alloc.
class MotionRule {
 public:
  virtual ~MotionRule() = default;
  // Bytes of memory that the rule takes from Begin on. O(1).
  virtual int64_t MemoryBytes(const MotionClip& clip) const = 0;
  // Starts a clip and forgets the previous one, which may not have finished.
  virtual void Begin(const MotionClip& clip) = 0;
  virtual void Add(const MotionBlock& block) = 0;
  // All frames came, and all values are finite. Logs what was found, and writes
  // the facts that are its own.
  virtual void Finish(IssueLog* log) = 0;
};

}  // namespace bvhmill
