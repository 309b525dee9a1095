#pragma once

// Lines of positions between keys. Private to anim/.

#include "bvhmill/anim/fit/curve_fit.h"
#include "bvhmill/anim/fit/key_choice.h"

namespace bvhmill {

// For ChooseKeys, as RotationFit. Errors and limits are squares of metres.
// workspace->decoded must be that of DecodePositionKeys.
class PositionFit {
 public:
  using Value = Vec3<float>;

  PositionFit(const PositionCurve& curve, const FrameTimes& times,
              FitWorkspace* workspace)
      : curve_(curve),
        times_(times),
        decoded_(workspace->decoded),
        work_(workspace->work) {}

  bool GoesOn() const { return work_.ok(); }

  FitKey<Value> Start() const { return FitKeyAt(0, DecodedAt(0)); }
  float Reach(const FitKey<Value>& from, size_t b, float limit,
              FitKey<Value>* to) const;
  float Step(const FitKey<Value>& from, float limit, FitKey<Value>* to) const;

 private:
  struct Line {
    Vec3<float> from;
    Vec3<float> to;
    float begin = 0;
    float per_second = 0;
    // The line is measured at the frames from `first` to before `end`.
    size_t first = 0;
    size_t end = 0;
  };

  Vec3<float> At(size_t frame) const;
  Vec3<float> DecodedAt(size_t frame) const;
  FitKey<Value> FitKeyAt(size_t frame, const Vec3<float>& value) const;
  Line LineTo(const FitKey<Value>& from, const FitKey<Value>& to) const;
  float LargestError(const Line& line, float enough) const;
  float ChunkError(const Line& line, size_t begin, size_t end) const;
  // The vector from the line to the curve where they are far apart.
  Vec3<float> OffsetTo(const Line& line) const;
  bool Move(const Line& line, const Vec3<float>& way, float limit,
            Vec3<float>* value) const;
  bool TryMoved(const FitKey<Value>& from, const Line& line,
                const Vec3<float>& way, float limit, FitKey<Value>* to,
                float* error) const;
  float OwnError(const FitKey<Value>& fit_key) const;

  const PositionCurve& curve_;
  const FrameTimes& times_;
  const std::array<FloatArray, 4>& decoded_;
  WorkMeter& work_;
};

}  // namespace bvhmill
