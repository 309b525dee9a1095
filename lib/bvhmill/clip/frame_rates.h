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
//
// A whole rate comes before the one that is 1.001 times slower if it gives the
// frame time with the digits that are written: 0.0167 is 60 frames a second,
// 0.01668 is 60 / 1.001.
NearRate NearestFrameRate(double frame_time);

// The rate in common use that `frame_time` stands for: it is the frame time of
// that rate, rounded to the digits that are written, and within 1.1 % of it; or
// it differs from it by less than 1/10000. 0.033 is 30 frames a second, and so
// is 0.033333335. 1 / frame_time if it is none. HasRate(frame_time) must be
// true.
double StatedFrameRate(double frame_time);

// The same rule for a rate that is written: 29.97 is 30 / 1.001 frames a
// second. `rate` itself if it stands for none. It must be above 0.
double WrittenFrameRate(double rate);

// The seconds between frames for rules and repairs that depend on the rate:
// `frame_time`, or 1/30 if it is not from 0.00099 to 0.2.
double MotionFrameTime(double frame_time);

// True if a rate is stated that MotionFrameTime does not take. From 0.2 s on,
// the motion between two frames is not known. No capture of a body takes more
// than 1010 frames a second: speeds would be those of another motion.
bool IsBeyondRates(double frame_time);

}  // namespace bvhmill
