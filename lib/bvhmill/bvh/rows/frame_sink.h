#pragma once

// The destination of the frames of a clip while it is read.

#include <cstdint>
#include <span>

namespace bvhmill {

class FrameSink {
 public:
  virtual ~FrameSink() = default;

  // Space for the next frames, one after the other: for at least 1 and at most
  // `frames` frames. Requires `frames` >= 1. Valid until the next call.
  virtual std::span<float> NextRows(int64_t frames) = 0;
  // The first `frames` frames of the last space are written. False stops the
  // reading.
  virtual bool Commit(int64_t frames) = 0;
};

}  // namespace bvhmill
