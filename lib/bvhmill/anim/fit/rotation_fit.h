#pragma once

// Lines of rotations between keys, as the viewer blends them. Private to anim/.

#include "bvhmill/anim/fit/curve_fit.h"
#include "bvhmill/anim/fit/key_choice.h"

namespace bvhmill {

// For ChooseKeys. Errors and limits are squares of chords between unit
// quaternions. workspace->decoded must be that of DecodeRotationKeys.
class RotationFit {
 public:
  using Value = Quat<float>;

  RotationFit(const RotationCurve& curve, const FrameTimes& times,
              FitWorkspace* workspace)
      : curve_(curve),
        times_(times),
        decoded_(workspace->decoded),
        work_(workspace->work) {}

  bool GoesOn() const { return work_.ok(); }

  FitKey<Value> Start() const { return FitKeyAt(0, DecodedAt(0)); }

  // First tries a key at `b` beside the curve, by at most the limit, so that
  // the line misses the frames between by the same amount on both sides; then a
  // key on the curve; then, where codes are coarse, a pair of keys.
  float Reach(const FitKey<Value>& from, size_t b, float limit,
              FitKey<Value>* to) const;
  float Step(const FitKey<Value>& from, float limit, FitKey<Value>* to) const;

 private:
  // A blend of two keys, component by component.
  struct Line {
    Quat<float> from;
    Quat<float> to;
    float begin = 0;
    float per_second = 0;
    // The line is measured at the frames from `first` to before `end`.
    size_t first = 0;
    size_t end = 0;
  };
  Quat<float> DecodedAt(size_t frame) const;
  FitKey<Value> FitKeyAt(size_t frame, const Quat<float>& value) const;
  Line LineTo(const FitKey<Value>& from, const FitKey<Value>& to) const;
  // The largest error of the line. Stops early once it is above `enough`.
  float LargestError(const Line& line, float enough) const;
  float ChunkError(const Line& line, size_t begin, size_t end) const;
  float OddError(const Line& line, size_t begin, size_t end) const;
  // The vector from the line to the curve where they are far apart.
  Quat<float> ChordTo(const Line& line) const;
  // Computes an end of the line that keeps all its frames within the limit;
  // false if there is none.
  bool Move(const Line& line, const Quat<float>& chord, float limit,
            Quat<float>* value) const;
  bool TryMoved(const FitKey<Value>& from, const Line& line,
                const Quat<float>& chord, float limit, FitKey<Value>* to,
                float* error) const;
  bool TryPair(const FitKey<Value>& from, size_t b, float limit,
               FitKey<Value>* to, float* error) const;
  // The error at the frame of `fit_key` if the line after it goes to the next
  // frame.
  float OwnError(const FitKey<Value>& fit_key) const;

  const RotationCurve& curve_;
  const FrameTimes& times_;
  const std::array<FloatArray, 4>& decoded_;
  WorkMeter& work_;
};

}  // namespace bvhmill
