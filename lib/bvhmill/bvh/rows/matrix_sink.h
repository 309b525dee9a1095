#pragma once

// Stores frames in the matrix of a clip. Private to bvh/.

#include <algorithm>
#include <cstdint>
#include <span>

#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

// motion->values holds the committed frames, followed by the space that
// NextRows returned last.
class MatrixSink {
 public:
  // `width` is the number of values of a frame. `budget` may be null and must
  // outlive the sink.
  MatrixSink(Motion* motion, int64_t width, Budget* budget)
      : motion_(*motion), width_(width), budget_(budget) {}

  int64_t width() const { return width_; }
  // States that the whole text has at most `frames` frames.
  void GrowUpTo(int64_t frames) { most_frames_ = frames; }
  // Takes memory for `frames` frames in total. While rows move to a larger
  // block, up to 8 MB are there twice and count once. False if the budget
  // refuses; no frames are kept then, not even earlier ones.
  bool Reserve(int64_t frames) {
    if (frames <= held_frames_ || is_refused_) return !is_refused_;
    const int64_t more = (frames - held_frames_) * width_;
    is_refused_ =
        !HoldFrom(budget_, more * static_cast<int64_t>(sizeof(float))).ok();
    if (is_refused_) {
      frames_ = 0;
      return false;
    }
    held_frames_ = frames;
    motion_.values.reserve(static_cast<size_t>(frames * width_));
    return true;
  }
  bool is_refused() const { return is_refused_; }

  // Space for the next `frames` >= 1 frames, one after the other, or for more.
  // Valid until the next call. Empty if the budget refuses.
  std::span<float> NextRows(int64_t frames) {
    if (is_refused_) return {};
    const int64_t end = frames_ + frames;
    if (end > held_frames_ &&
        !Reserve(std::max(end, std::min(2 * end, most_frames_)))) {
      return {};
    }
    motion_.values.resize(static_cast<size_t>(end * width_));
    return std::span(motion_.values)
        .subspan(static_cast<size_t>(frames_ * width_));
  }
  // The first `frames` frames of the last space are written.
  void Commit(int64_t frames) { frames_ += frames; }

 private:
  Motion& motion_;
  int64_t width_;
  Budget* budget_;
  bool is_refused_ = false;
  int64_t most_frames_ = 0;
  // Frames that have memory; frames that are committed.
  int64_t held_frames_ = 0;
  int64_t frames_ = 0;
};

}  // namespace bvhmill
