#pragma once

// Finds few keys for a curve, within a bound on the error. The error is
// measured at every frame, between the curve and the values that a viewer
// decodes and blends:
//
//   const FrameTimes times = MakeFrameTimes(count, seconds);
//   FitWorkspace workspace;
//   workspace.work = WorkMeter(budget);
//   FitResult fit = FitRotation(curve, times, radians, &workspace);
//   if (!workspace.work.ok()) return workspace.work.Pay();
//
// Errors and bounds of rotations are in radians, those of positions in metres.
// One thread at a time may use a workspace.

#include <array>
#include <cstdint>
#include <vector>

#include "bvhmill/anim/avatar/drive.h"
#include "bvhmill/anim/fit/key_codes.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/budget.h"

namespace bvhmill {

struct FitResult {
  std::vector<AnimKey> keys;
  // The largest error over all frames.
  float error = 0;
};

// Memory that is reused from curve to curve, and the meter of the work.
struct FitWorkspace {
  // The values of a key at each frame, as the viewer decodes them. Positions
  // use the first three arrays.
  std::array<FloatArray, 4> decoded;
  std::vector<AnimKey> keys;
  WorkMeter work;
};

// Makes keys for `curve` whose error is at most `bound`, if that is possible;
// at worst, every frame gets a key. A curve that does not move gets one key.
// Each key has the value of the curve at the time of its code, or a value near
// it that needs fewer keys, rounded to codes.
//
// Cost: about 60 ns for each frame of most curves; up to 1 us where long
// intervals between keys are tried and rejected, 2 us near half a turn, and
// 100 us where pairs of keys are tried. The work is counted on workspace->work,
// in units of about a nanosecond. If the budget refuses, the fits return early,
// and the result must not be used. Memory: 48 bytes for each frame, in the
// workspace and `times`; and the keys: 8 bytes each, at most two for each
// frame.
FitResult FitRotation(const RotationCurve& curve, const FrameTimes& times,
                      float bound, FitWorkspace* workspace);
FitResult FitPosition(const PositionCurve& curve, const FrameTimes& times,
                      float bound, FitWorkspace* workspace);

// Returns the largest error of `keys`, by the arithmetic of the viewer, one
// frame after the other: the slow twin that tests compare the fits with. If
// `frame` is not null, sets it to the frame of that error.
float MeasureRotation(const RotationCurve& curve, const FrameTimes& times,
                      const std::vector<AnimKey>& keys,
                      int64_t* frame = nullptr);
float MeasurePosition(const PositionCurve& curve, const FrameTimes& times,
                      const std::vector<AnimKey>& keys,
                      int64_t* frame = nullptr);

}  // namespace bvhmill
