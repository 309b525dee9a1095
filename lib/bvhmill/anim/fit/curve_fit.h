#pragma once

// Few keys for a curve: as few as a bound on the error allows, measured at
// every frame on what a viewer makes of the codes. Private to anim/.

#include <cstdint>
#include <vector>

#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/anim/avatar/drive_curves.h"
#include "bvhmill/anim/fit/key_choice.h"
#include "bvhmill/base/work_meter.h"

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
  std::vector<AnimKey> keys;
  // The work of the fits is counted here.
  WorkMeter work;
};
// Bytes for each frame, at most, of a workspace and of FrameTimes.
inline constexpr int64_t kFitFrameBytes = 48;

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
// Cost: about 60 ns a frame of most curves; up to 1 us where lines of keys
// reach far and fail, 2 us near half a turn, and 100 us where pairs of keys are
// tried. Each part is counted on workspace->work, in units of about a
// nanosecond, by what is done: frames that are compared with a line, codes and
// pairs that are tried. Once that refuses they return early, and the result is
// not to be used. Memory: kFitFrameBytes a frame, and the keys: 8 bytes each,
// two for each frame at most.
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
