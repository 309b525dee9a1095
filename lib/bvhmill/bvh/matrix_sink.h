#pragma once

// Frames into the matrix of a clip.

#include <algorithm>
#include <cstdint>
#include <span>

#include "bvhmill/bvh/frame_sink.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

// motion->values holds the frames that were committed, and behind them the room
// that was given out last.
class MatrixSink final : public FrameSink {
 public:
  // `width` = values of a frame.
  MatrixSink(Motion* motion, int64_t width) : motion_(*motion), width_(width) {}

  // All the text cannot hold more than `frames` frames.
  void GrowUpTo(int64_t frames) { most_frames_ = frames; }
  // Takes room for `frames` frames in all.
  void Reserve(int64_t frames) {
    motion_.values.reserve(static_cast<size_t>(frames * width_));
  }

  std::span<float> Room(int64_t frames) override {
    const int64_t end = frames_ + frames;
    const auto capacity =
        static_cast<int64_t>(motion_.values.capacity()) / width_;
    if (end > capacity) {
      Reserve(std::max(end, std::min(2 * end, most_frames_)));
    }
    motion_.values.resize(static_cast<size_t>(end * width_));
    return std::span(motion_.values)
        .subspan(static_cast<size_t>(frames_ * width_));
  }
  bool Commit(int64_t frames) override {
    frames_ += frames;
    return true;
  }

 private:
  Motion& motion_;
  int64_t width_;
  int64_t most_frames_ = 0;
  int64_t frames_ = 0;
};

}  // namespace bvhmill
