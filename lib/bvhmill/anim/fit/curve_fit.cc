#include "bvhmill/anim/fit/curve_fit.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/anim/fit/key_codes.h"
#include "bvhmill/anim/fit/key_play.h"
#include "bvhmill/anim/fit/position_fit.h"
#include "bvhmill/anim/fit/rotation_fit.h"

namespace bvhmill {
namespace {

// If all keys have the same value, keeps only one.
void MergeStill(std::vector<AnimKey>* keys) {
  const AnimKey& first = keys->front();
  for (const AnimKey& key : *keys) {
    if (key.x != first.x || key.y != first.y || key.z != first.z) return;
  }
  keys->resize(1);
}

AnimKey KeyOf(const KeyEnd<Vec3<float>>& end, float range) {
  return {end.code, RoundU16(end.value[0], -range, range),
          RoundU16(end.value[1], -range, range),
          RoundU16(end.value[2], -range, range)};
}
AnimKey KeyOf(const KeyEnd<Quat<float>>& end, float range) {
  const auto& [x, y, z, w] = end.value;
  return KeyOf(KeyEnd<Vec3<float>>{{x, y, z}, end.code, end.time}, range);
}

// Makes the keys of a curve of `count` frames. Returns the largest error.
template <typename Fit>
float MakeKeys(const Fit& fit, size_t count, float limit, float range,
               FitWorkspace* workspace) {
  std::vector<AnimKey>& keys = workspace->keys;
  keys.clear();
  keys.reserve(2 * count);
  const float worst = ChooseKeys(fit, count, limit, [&](const auto& fit_key) {
    keys.push_back(KeyOf(fit_key.in, range));
    if (fit_key.is_pair) keys.push_back(KeyOf(fit_key.out, range));
  });
  MergeStill(&keys);
  return worst;
}

}  // namespace

FrameTimes MakeFrameTimes(int64_t count, float duration) {
  FrameTimes times;
  times.duration = duration;
  const auto size = static_cast<size_t>(count);
  times.frame.resize(size);
  times.code.resize(size);
  times.key.resize(size);
  times.early.resize(size);
  const double step =
      count > 1 ? static_cast<double>(duration) / static_cast<double>(count - 1)
                : 0.0;
  for (size_t i = 0; i < size; ++i) {
    times.frame[i] = static_cast<float>(step * static_cast<double>(i));
    times.code[i] = EncodeU16(times.frame[i], 0, duration);
    times.key[i] = DecodeU16(times.code[i], 0, duration);
    const auto early = static_cast<double>(times.frame[i] - times.key[i]);
    times.early[i] =
        step > 0 ? static_cast<float>(std::clamp(early / step, 0.0, 1.0)) : 0;
  }
  return times;
}

FitResult FitRotation(const RotationCurve& curve, const FrameTimes& times,
                      float bound, FitWorkspace* workspace) {
  const float chord = 2.0F * std::sin(std::min(bound, 3.0F) / 4.0F);
  DecodeRotationKeys(curve, times, workspace);
  const RotationFit fit(curve, times, workspace);
  const float worst = MakeKeys(fit, curve.q[0].size(), chord * chord,
                               kAnimRotationRange, workspace);
  return {workspace->keys, AngleOfChord(worst)};
}

FitResult FitPosition(const PositionCurve& curve, const FrameTimes& times,
                      float bound, FitWorkspace* workspace) {
  DecodePositionKeys(curve, times, workspace);
  const PositionFit fit(curve, times, workspace);
  const float worst = MakeKeys(fit, curve.p[0].size(), bound * bound,
                               kAnimPositionRange, workspace);
  return {workspace->keys, std::sqrt(worst)};
}

float MeasureRotation(const RotationCurve& curve, const FrameTimes& times,
                      const std::vector<AnimKey>& keys, int64_t* frame) {
  float worst = -1;
  KeyCursor cursor(keys, times.duration);
  for (size_t i = 0; i < curve.q[0].size(); ++i) {
    const BetweenKeys at = cursor.To(times.frame[i]);
    const Quat<float> r =
        BlendRotations(RotationOf(*at.from), RotationOf(*at.to), at.u);
    const float error = ChordSquare(r, QuatAt(curve.q, i));
    if (error <= worst) continue;
    worst = error;
    if (frame != nullptr) *frame = static_cast<int64_t>(i);
  }
  return AngleOfChord(std::max(worst, 0.0F));
}

float MeasurePosition(const PositionCurve& curve, const FrameTimes& times,
                      const std::vector<AnimKey>& keys, int64_t* frame) {
  float worst = -1;
  KeyCursor cursor(keys, times.duration);
  for (size_t i = 0; i < curve.p[0].size(); ++i) {
    const BetweenKeys at = cursor.To(times.frame[i]);
    const Vec3<float> p =
        BlendPositions(PositionOf(*at.from), PositionOf(*at.to), at.u);
    float square = 0;
    for (size_t k = 0; k < 3; ++k) {
      const float d = p[k] - curve.p[k][i];
      square += d * d;
    }
    if (square <= worst) continue;
    worst = square;
    if (frame != nullptr) *frame = static_cast<int64_t>(i);
  }
  return std::sqrt(std::max(worst, 0.0F));
}

}  // namespace bvhmill
