#pragma once

// Frames into the matrix of a clip.

#include <algorithm>
#include <cstdint>
#include <span>

#include "bvhmill/base/budget.h"
#include "bvhmill/bvh/rows/frame_sink.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

// motion->values holds the frames that were committed, and behind them the room
// that was given out last.
class MatrixSink final : public FrameSink {
 public:
  // `width` = values of a frame. `budget` may be null, and must outlive the
  // sink.
  MatrixSink(Motion* motion, int64_t width, Budget* budget)
      : motion_(*motion), width_(width), budget_(budget) {}

  // All the text cannot hold more than `frames` frames.
  void GrowUpTo(int64_t frames) { most_frames_ = frames; }
  // Takes room for `frames` frames in all. False if there is no memory for
  // them: then no more frames are kept, nor those that were.
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
    // Where there is no memory for more, this much is written in place of those
    // before, and refused then.
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
  // That there is memory for; that were committed.
  int64_t held_frames_ = 0;
  int64_t frames_ = 0;
};

}  // namespace bvhmill
