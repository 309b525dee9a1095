#pragma once

// Few keys for a curve: as few as a bound on the error allows, measured at
// every frame on what a viewer makes of the codes. Private to anim/.

#include <cstdint>
#include <vector>

#include "bvhmill/anim/anim_motion.h"
#include "bvhmill/anim/drive_curves.h"
#include "bvhmill/anim/key_choice.h"

namespace bvhmill {

// The times of the frames, and of the keys that stand for them; seconds.
struct FrameTimes {
  float duration = 0;
  FloatArray frame;
  std::vector<uint16_t> code;
  // Of the codes: at or a little before the frame.
  FloatArray key;
  // How far a key is before its frame, in frames.
  FloatArray early;
};

// Frame i of `count` is at i * duration / (count - 1).
FrameTimes MakeFrameTimes(int64_t count, float duration);

// Arrays that are used again from curve to curve.
struct FitWorkspace {
  // The values of a key at each frame, as the viewer decodes them.
  std::array<FloatArray, 4> decoded;
  std::vector<Knot<Quat<float>>> rotation_knots;
  std::vector<Knot<Vec3<float>>> position_knots;
};

// The worst error over all frames: radians, or metres.
struct FitResult {
  std::vector<AnimKey> keys;
  float error = 0;
};

// Keys for a curve, none off by more than `bound` (radians, metres) where that
// is possible: a key for each frame is the most. A curve that stands still gets
// one key. Each key takes the value that the curve has at the time of its code,
// and the codes that come nearest to it.
//
// Cost: about 60 ns a frame.
FitResult FitRotation(const RotationCurve& curve, const FrameTimes& times,
                      float bound, FitWorkspace* workspace);
FitResult FitPosition(const PositionCurve& curve, const FrameTimes& times,
                      float bound, FitWorkspace* workspace);

// The error of `keys` at every frame, by the viewer's arithmetic, one frame
// after the other: the twin that the fits are tested with. `frame`, if it is
// not null, gets the worst one.
float MeasureRotation(const RotationCurve& curve, const FrameTimes& times,
                      const std::vector<AnimKey>& keys,
                      int64_t* frame = nullptr);
float MeasurePosition(const PositionCurve& curve, const FrameTimes& times,
                      const std::vector<AnimKey>& keys,
                      int64_t* frame = nullptr);

}  // namespace bvhmill
