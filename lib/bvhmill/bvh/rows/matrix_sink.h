#pragma once

// Stores frames in the matrix of a clip.

#include <algorithm>
#include <cstdint>
#include <span>

#include "bvhmill/base/budget.h"
#include "bvhmill/bvh/rows/frame_sink.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

// motion->values holds the committed frames, followed by the space that
// NextRows returned last.
class MatrixSink final : public FrameSink {
 public:
  // `width` is the number of values of a frame. `budget` may be null and must
  // outlive the sink.
  MatrixSink(Motion* motion, int64_t width, Budget* budget)
      : motion_(*motion), width_(width), budget_(budget) {}

  // States that the whole text has at most `frames` frames.
  void GrowUpTo(int64_t frames) { most_frames_ = frames; }
  // Takes memory for `frames` frames in total. False if the budget refuses;
  // then no frames are kept, not even earlier ones.
  bool Reserve(int64_t frames) {
    const int64_t values = (frames - held_frames_) * width_;
    const int64_t bytes = values * static_cast<int64_t>(sizeof(float));
    refused_ = refused_ || !HoldFrom(budget_, bytes).ok();
    if (refused_) {
      frames_ = 0;
      return false;
    }
    held_frames_ = frames;
    motion_.values.reserve(static_cast<size_t>(frames * width_));
    return true;
  }
  bool refused() const { return refused_; }

  std::span<float> NextRows(int64_t frames) override {
    const int64_t end = frames_ + frames;
    if (end > held_frames_) {
      Reserve(std::max(end, std::min(2 * end, most_frames_)));
    }
    // After a refusal, the frames overwrite the earlier ones here, and Commit
    // then stops the reading.
    motion_.values.resize(static_cast<size_t>((frames_ + frames) * width_));
    return std::span(motion_.values)
        .subspan(static_cast<size_t>(frames_ * width_));
  }
  bool Commit(int64_t frames) override {
    if (refused_) return false;
    frames_ += frames;
    return true;
  }

 private:
  Motion& motion_;
  int64_t width_;
  Budget* budget_;
  bool refused_ = false;
  int64_t most_frames_ = 0;
  // Frames that have memory; frames that are committed.
  int64_t held_frames_ = 0;
  int64_t frames_ = 0;
};

}  // namespace bvhmill
