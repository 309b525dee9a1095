#pragma once

// Pairs of neighbouring frames, spread evenly over a clip of any length.
// Private to validate/.

#include <cstdint>
#include <span>
#include <vector>

namespace bvhmill {

// Keeps the pair of frames t - 1 and t for every t that is a multiple of the
// stride, which doubles whenever there are kMost pairs. So up to kMost frames
// all pairs are kept, and the pairs do not depend on how the frames came.
class PairSamples {
 public:
  static constexpr int64_t kMost = 512;

  // Starts a clip with frames of `width` values.
  void Begin(size_t width);
  // The next frame.
  void Add(std::span<const float> frame);
  // False if the next frame is in no pair, as most of a long clip are. Skip()
  // may then take the place of Add.
  bool NeedsNext() const {
    return IsMultiple(frames_) || IsMultiple(frames_ + 1);
  }
  void Skip() { ++frames_; }

  // Frames that were added.
  int64_t frames() const { return frames_; }
  int64_t count() const { return count_; }
  // Frames from one pair to the next.
  int64_t stride() const { return stride_; }
  // The number of the later frame of pair `i`, and both frames.
  int64_t frame(int64_t i) const { return (i + 1) * stride_; }
  std::span<const float> before(int64_t i) const { return Slot(2 * i); }
  std::span<const float> after(int64_t i) const { return Slot(2 * i + 1); }

 private:
  // Strides are powers of two.
  bool IsMultiple(int64_t frame) const { return (frame & (stride_ - 1)) == 0; }
  std::span<const float> Slot(int64_t i) const {
    return std::span(values_).subspan(static_cast<size_t>(i) * width_, width_);
  }
  void Halve();

  size_t width_ = 0;
  int64_t frames_ = 0;
  int64_t stride_ = 1;
  int64_t count_ = 0;
  std::vector<float> previous_;
  // Grows with the pairs.
  std::vector<float> values_;
};

}  // namespace bvhmill
