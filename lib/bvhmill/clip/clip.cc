#include "bvhmill/clip/clip.h"

#include <cmath>

namespace bvhmill {

bool HasRate(double frame_time) {
  return std::isfinite(frame_time) && frame_time > 0;
}

double FramesPerSecond(double frame_time) {
  return HasRate(frame_time) ? 1.0 / frame_time : 0.0;
}

}  // namespace bvhmill
