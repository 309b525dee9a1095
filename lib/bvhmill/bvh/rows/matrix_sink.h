#pragma once

// Stores frames in the matrix of a clip. Private to bvh/.

#include <algorithm>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/status.h"
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

  // States that the whole text has at most `frames` frames.
  void GrowUpTo(int64_t frames) { most_frames_ = frames; }
  // Takes memory for `frames` frames in total. False if the budget refuses;
  // then no frames are kept, not even earlier ones.
  bool Reserve(int64_t frames) {
    refused_ = refused_ || !Grow(frames).ok();
    if (refused_) frames_ = 0;
    return !refused_;
  }
  bool refused() const { return refused_; }

  // Space for the next `frames` >= 1 frames, one after the other, or for more.
  // Valid until the next call.
  std::span<float> NextRows(int64_t frames) {
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
  // The first `frames` frames of the last space are written. False stops the
  // reading.
  bool Commit(int64_t frames) {
    if (refused_) return false;
    frames_ += frames;
    return true;
  }

 private:
  // Draws the memory, then takes it. While rows move to a larger block, both
  // blocks count.
  absl::Status Grow(int64_t frames) {
    BVHMILL_RETURN_IF_ERROR(
        HoldFrom(budget_, BytesOf(frames) - BytesOf(held_frames_)));
    held_frames_ = frames;
    const auto size = static_cast<size_t>(frames * width_);
    if (size <= motion_.values.capacity()) return absl::OkStatus();
    BVHMILL_RETURN_IF_ERROR(HoldFrom(budget_, BytesOf(frames_)));
    motion_.values.reserve(size);
    ReturnTo(budget_, BytesOf(frames_));
    return absl::OkStatus();
  }
  int64_t BytesOf(int64_t frames) const {
    return frames * width_ * static_cast<int64_t>(sizeof(float));
  }

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
