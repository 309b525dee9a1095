#pragma once

// Collects frames into tiles of one size. Private to bvh/.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/bvh/rows/frame_sink.h"

namespace bvhmill {

// Passes each tile to the receiver when it is full. Keeps the tile in `values`,
// which must outlive the sink.
class TileSink final : public FrameSink {
 public:
  // `width` is the number of values of a frame.
  TileSink(ClipReceiver* receiver, int64_t width,
           UninitializedVector<float>* values)
      : receiver_(*receiver),
        width_(width),
        tile_frames_(
            std::max<int64_t>(kTileValues / std::max<int64_t>(width, 1), 1)),
        values_(*values) {}

  // Sets the index of the first frame, which is 0 otherwise. Call it before all
  // other functions.
  void StartAt(int64_t first) { first_ = first; }

  std::span<float> NextRows(int64_t frames) override {
    values_.resize(static_cast<size_t>(tile_frames_ * width_));
    const int64_t room = std::min(frames, tile_frames_ - frames_);
    return std::span(values_).subspan(static_cast<size_t>(frames_ * width_),
                                      static_cast<size_t>(room * width_));
  }
  bool Commit(int64_t frames) override {
    frames_ += frames;
    return frames_ < tile_frames_ || Flush();
  }

  bool is_empty() const { return frames_ == 0; }
  // Passes on the frames of a tile that is not full. False stops the reading.
  bool Flush() {
    if (frames_ == 0) return true;
    const int64_t first = first_;
    const int64_t frames = std::exchange(frames_, 0);
    first_ += frames;
    return receiver_.OnFrames(
        first, frames,
        std::span(values_).first(static_cast<size_t>(frames * width_)));
  }

 private:
  ClipReceiver& receiver_;
  int64_t width_;
  int64_t tile_frames_;
  UninitializedVector<float>& values_;
  int64_t first_ = 0;
  int64_t frames_ = 0;
};

}  // namespace bvhmill
