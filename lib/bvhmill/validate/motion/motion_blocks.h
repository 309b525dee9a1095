#pragma once

// Collects rows into blocks and computes their steps. Private to
// validate/motion/.

#include <cstdint>
#include <vector>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/math/motion_columns.h"
#include "bvhmill/validate/motion/motion_rule.h"
#include "bvhmill/validate/row_observer.h"

namespace bvhmill {

// Begin, then Take and Finish of blocks in turns. Memory is kept from clip to
// clip.
class MotionBlocks {
 public:
  // The tracks of a skeleton, at most, and the bytes that its blocks take.
  // O(nodes + channels).
  static int64_t MaxTracks(const Skeleton& skeleton);
  static int64_t MemoryBytes(const Skeleton& skeleton);

  // Starts a clip. Writes dt, reach and moving_columns of its facts; the last
  // of these is complete when all blocks are finished. O(nodes).
  void Begin(const ObservedClip& clip);
  // The clip of Begin. Its sums are about the blocks that are finished.
  MotionClip& clip() { return clip_; }

  // The block has no room for another frame.
  bool IsFull() const { return filled_ == block_frames_; }
  // Copies rows from number `done` of `rows` on, as many as there is room for;
  // returns how many. Not if IsFull.
  int64_t Take(const ObservedRows& rows, int64_t done);
  // Ends the block and starts the next one. The block, valid until the next
  // call of Take; null if the clip has a value that is not finite.
  const MotionBlock* Finish(bool is_last);

  // Frames that were taken, and runs of neighbouring rows that have a value
  // that is not finite; the facts of the clip count these rows.
  int64_t frames() const { return first_ + filled_; }
  int64_t non_finite_runs() const { return non_finite_runs_; }

 private:
  void AddTracks(const Skeleton& skeleton);
  void AddTrack(const Skeleton& skeleton, int32_t node, TrackKind kind);
  void Shift();
  void Pad(size_t end);
  // False if a value is not finite.
  bool Measure(size_t end);
  void MeasureTrack(size_t track);
  void CountNonFinite();
  void ComputeSteps(size_t track, size_t end);
  void AddSums(size_t track, size_t end);
  void KeepEnds(size_t track);
  float LargestAt(const TrackColumn& column) const;
  bool IsConstant(size_t track) const;

  MotionClip clip_;
  MotionBlock block_;
  int64_t width_ = 0;
  // The channels of the first joint, which come first.
  int64_t root_width_ = 0;
  // Frames of a block, and the values between two arrays. A block of a wide
  // clip is short.
  int64_t block_frames_ = 0;
  size_t stride_ = 0;
  // The number of the first frame of this block, and its frames so far.
  int64_t first_ = 0;
  int64_t filled_ = 0;
  bool has_finished_ = false;
  UninitializedVector<float> values_;
  UninitializedVector<float> steps_;
  UninitializedVector<float> kinks_;
  std::vector<float> max_steps_;
  std::vector<float> max_kinks_;
  std::vector<float> min_steps_;
  std::vector<float> max_turns_;
  std::vector<TurnBits> turns_;
  // The range of each channel, and the largest change of each track.
  std::vector<ColumnRange> ranges_;
  std::vector<float> changes_;
  std::vector<uint8_t> moving_columns_;
  std::vector<float> last_row_;
  std::vector<uint8_t> repeats_;
  // The columns of a track that is computed, and angles above what the kernel
  // takes.
  std::vector<StepColumn> columns_;
  std::vector<float> reduced_;
  StepCaps caps_;
  StepTotals totals_;
  bool was_non_finite_ = false;
  int64_t non_finite_runs_ = 0;
};

}  // namespace bvhmill
