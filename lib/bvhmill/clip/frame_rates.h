#pragma once

// Frame rates in common use.

namespace bvhmill {

// A rate and how far a frame time is from it.
struct NearRate {
  double frames_per_second = 0;
  // |frame_time * frames_per_second - 1|.
  double difference = 0;
};

// The rate nearest to `frame_time`, among those of cameras, capture systems,
// displays and films, from 10 to 1000 frames a second. HasRate(frame_time) must
// be true. The list is long enough that a rate is off by more than 1.1 % only
// if it is unusual, and that a rate of 30 is told from 30 / 1.001.
NearRate NearestFrameRate(double frame_time);

}  // namespace bvhmill
