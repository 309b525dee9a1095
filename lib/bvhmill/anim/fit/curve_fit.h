#pragma once

// Finds few keys for a curve, within a bound on the error. Errors are measured
// at every frame, on the values that a viewer decodes and blends. Private to
// anim/.

#include <cstdint>
#include <vector>

#include "bvhmill/anim/avatar/drive_curves.h"
#include "bvhmill/anim/fit/key_choice.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/work_meter.h"

namespace bvhmill {

// The times of the frames and of their keys, in seconds.
struct FrameTimes {
  float duration = 0;
  FloatArray frame;
  std::vector<uint16_t> code;
  // The decoded time of each code: at the frame or a little before it.
  FloatArray key;
  // How much earlier a key is than its frame, in frames.
  FloatArray early;
};

// Frame i of `count` is at i * duration / (count - 1).
FrameTimes MakeFrameTimes(int64_t count, float duration);

// Memory that is reused from curve to curve.
struct FitWorkspace {
  // The values of a key at each frame, as the viewer decodes them.
  std::array<FloatArray, 4> decoded;
  std::vector<AnimKey> keys;
  // Counts the work of the fits.
  WorkMeter work;
};
// The most bytes for each frame of a workspace and of FrameTimes.
inline constexpr int64_t kFitFrameBytes = 48;

// `error` is the largest one over all frames: radians, or metres.
struct FitResult {
  std::vector<AnimKey> keys;
  float error = 0;
};

// Makes keys for a curve whose error is at most `bound` (radians, metres), if
// that is possible; at worst, every frame gets a key. A curve that does not
// move gets one key. Each key has the value of the curve at the time of its
// code, in the nearest codes.
//
// Cost: about 60 ns for each frame of most curves; up to 1 us where long lines
// between keys are tried and fail, 2 us near half a turn, and 100 us where
// pairs of keys are tried. The work is counted on workspace->work, in units of
// about a nanosecond: frames that are compared with a line, codes and pairs
// that are tried. If the budget refuses, the fits return early, and the result
// must not be used. Memory: kFitFrameBytes for each frame, and the keys: 8
// bytes each, at most two for each frame.
FitResult FitRotation(const RotationCurve& curve, const FrameTimes& times,
                      float bound, FitWorkspace* workspace);
FitResult FitPosition(const PositionCurve& curve, const FrameTimes& times,
                      float bound, FitWorkspace* workspace);

// The largest error of `keys`, by the viewer's arithmetic, one frame after the
// other: the slow twin that the fits are tested against. If `frame` is not
// null, it is set to the frame of that error.
float MeasureRotation(const RotationCurve& curve, const FrameTimes& times,
                      const std::vector<AnimKey>& keys,
                      int64_t* frame = nullptr);
float MeasurePosition(const PositionCurve& curve, const FrameTimes& times,
                      const std::vector<AnimKey>& keys,
                      int64_t* frame = nullptr);

}  // namespace bvhmill
