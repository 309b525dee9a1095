#pragma once

// A motion capture clip: a skeleton and a matrix of channel values. Cheap to
// move.

#include <cstdint>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

struct Motion {
  int64_t frames = 0;
  // Seconds per frame, as the file states it; 0 if it states none. May be
  // negative or not finite: see HasRate.
  double frame_time = 0;
  // frames x skeleton.channels.size(), frame after frame.
  UninitializedVector<float> values;
};

struct Clip {
  Skeleton skeleton;
  Motion motion;
};

// True if `frame_time`, in seconds, is a finite number above zero.
bool HasRate(double frame_time);
// Frames per second; 0 if HasRate is false.
double FramesPerSecond(double frame_time);

}  // namespace bvhmill
