#pragma once

// The steps and kinks (motion_clip.h) of a track in a block of frames and in
// the frames around it, and the reader that computes them.
//
//   BlockReader reader;
//   reader.Begin(clip, 0);
//   while (there is a block && reader.Read(frames)) {
//     for (size_t track = 0; track < clip.tracks.size(); ++track) {
//       reader.ReadTrack(track);
//       reader.Sum();
//       rule->Look(reader.block());
//     }
//   }

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/math/motion_steps.h"
#include "bvhmill/validate/motion/motion_clip.h"

namespace bvhmill {

// The frames first .. first + frames - 1 of a track. Index i of an array is
// frame first - kStepLead + i: the arrays have kStepLead frames before the
// block, the block, and kFramesAfter frames after it. Values of frames before
// frame 0 are those of frame 0, values of frames after the last one are those
// of the last one; steps and kinks there are 0. The step of frame 0 is 0, and
// so are the kinks of frame 0 and of the last frame.
struct MotionBlock {
  static constexpr size_t kFramesAfter = 8;
  // Kernels read the value after the last one.
  using Array = std::array<float, kStepStride + kStepParts>;

  int64_t first = 0;
  int64_t frames = 0;
  // The clip ends with this block.
  bool is_last = false;
  // An array for each channel of the clip, `stride` values apart, and the
  // extremes of each channel in this block.
  size_t stride = 0;
  UninitializedVector<float> values;
  std::vector<ColumnRange> ranges;

  // The current track, and the largest change of one of its channels from frame
  // to frame.
  size_t track = 0;
  float change = 0;
  // `roots` are the square roots of the steps, from index kStepLead - 1 to the
  // frame after the block.
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
  // The number of words of bits (TurnBits) with frames of the block.
  size_t words() const {
    return (static_cast<size_t>(frames) + kStepParts - 1) / kStepParts;
  }
};

// The frames of a whole block of a clip: fewer for a clip of many channels. A
// short clip is one block.
int64_t BlockFrames(const MotionClip& clip);
// The bytes of a block and its reader. O(1).
int64_t BlockBytes(const MotionClip& clip);

// Computes the blocks of a range of frames, one track after the other while its
// numbers are in the nearest cache. Reuses its memory from clip to clip.
class BlockReader {
 public:
  // Starts at frame `first` of the clip, which outlives the blocks.
  void Begin(const MotionClip& clip, int64_t first);
  // Reads the values of the next block, of `frames` frames: a whole block, or
  // the rest of the clip. False if a value of the block or of the frames after
  // it is not finite.
  bool Read(int64_t frames);
  // Computes the steps and kinks of a track. Call it for each track of each
  // block: the next block begins with the last steps of this one.
  void ReadTrack(size_t track);
  // Computes `sums` and `roots` of the track.
  void Sum();
  // The same, and adds the sums to those of the track. Adds the steps and kinks
  // of a rotation track to `totals`, which are those of the clip.
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
  // The columns of the current track, and its angles where they exceed
  // kMaxSinCosDegrees, reduced.
  std::vector<StepColumn> columns_;
  std::vector<float> reduced_;
};

}  // namespace bvhmill
