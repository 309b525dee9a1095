#pragma once

// Where the frames of a clip go while it is read.

#include <cstdint>
#include <span>

namespace bvhmill {

class FrameSink {
 public:
  virtual ~FrameSink() = default;

  // Room for the next frames, one behind another: for at least one, and for no
  // more than `frames`, which is at least 1. Void after the next call.
  virtual std::span<float> NextRows(int64_t frames) = 0;
  // The first `frames` of the last room are written. False stops the reading.
  virtual bool Commit(int64_t frames) = 0;
};

}  // namespace bvhmill
