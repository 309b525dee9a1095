#pragma once

// The steps and kinks (motion_clip.h) of a track in a block of frames, and in
// the frames around it.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/math/motion_columns.h"
#include "bvhmill/math/motion_steps.h"
#include "bvhmill/math/motion_sums.h"
#include "bvhmill/validate/motion/motion_clip.h"

namespace bvhmill {

// The frames first .. first + frames - 1 of a track. Index i of an array is
// frame first - kStepLead + i: kStepLead frames before the block, the block,
// and kFramesAfter frames after it. Values of frames before frame 0 are those
// of frame 0, those after the last frame are those of the last one; steps and
// kinks there are 0. The step of frame 0 is 0, and so are the kinks of frame 0
// and of the last frame.
struct MotionBlock {
  static constexpr size_t kFramesAfter = 8;
  // Kernels read the value after the last one.
  using Array = std::array<float, kStepStride + kStepParts>;

  int64_t first = 0;
  int64_t frames = 0;
  // The clip has first + frames frames.
  bool is_last = false;
  // An array for each channel of the clip, `stride` values apart; and the
  // extremes of the channel in this block.
  size_t stride = 0;
  UninitializedVector<float> values;
  std::vector<ColumnRange> ranges;

  // The track that is looked at, and the largest difference of one of its
  // channels between neighbours.
  size_t track = 0;
  float change = 0;
  // Roots are those of the steps from index kStepLead - 1 to the frame after
  // the block.
  alignas(64) Array steps;
  alignas(64) Array kinks;
  alignas(64) Array roots;
  StepSums sums;

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
  // The words of bits that have frames of the block.
  size_t words() const {
    return (static_cast<size_t>(frames) + kStepParts - 1) / kStepParts;
  }
};

// The frames of a whole block of a clip: a block of a wide clip is short, and
// one block holds a short clip.
int64_t BlockFrames(const MotionClip& clip);
// The bytes that a block and its reader take. O(1).
int64_t BlockBytes(const MotionClip& clip);

// Computes blocks of a clip, one track after the other while its numbers are in
// the nearest cache. Keeps its memory from clip to clip.
class BlockReader {
 public:
  // Starts at frame `first` of the clip, which stays.
  void Begin(const MotionClip& clip, int64_t first);
  // Reads the values of the block that follows, of at most `frames` frames: a
  // whole block, unless the clip ends. False if a value is not finite, here or
  // after it.
  bool Read(int64_t frames);
  // Computes the steps of a track. Call it for each track of each block.
  void ReadTrack(size_t track);
  // Measures the track: its `sums` and `roots`.
  void Sum();
  // The same. Adds the sums to those of the track, and the frames of a rotation
  // track to `totals`, which are those of the clip.
  void SumInto(TrackSums* sums, FrameTotals* totals);
  const MotionBlock& block() const { return block_; }

 private:
  // The last steps and kinks of a track before the block.
  struct Lead {
    std::array<float, kStepLead> steps;
    std::array<float, kStepLead> kinks;
  };

  void ReadValues();
  void ComputeSteps(const MotionTrack& track);
  float LargestAt(const TrackColumn& column) const;
  bool IsConstant(const MotionTrack& track) const;
  void Sum(const StepTotals* totals);
  void AddCapped(TrackSums* sums) const;
  void KeepEnds(TrackSums* sums) const;

  const MotionClip* clip_ = nullptr;
  MotionBlock block_;
  // The index after the frames that are computed.
  size_t end_ = 0;
  std::vector<Lead> leads_;
  // The columns of a track that is computed, and angles above what the kernel
  // takes.
  std::vector<StepColumn> columns_;
  std::vector<float> reduced_;
};

}  // namespace bvhmill
