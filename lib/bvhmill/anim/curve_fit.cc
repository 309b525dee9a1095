#include "bvhmill/anim/curve_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bvhmill/anim/key_codes.h"
#include "bvhmill/anim/key_play.h"

namespace bvhmill {
namespace {

// Frames that are judged at once, before it is asked whether it is enough.
constexpr size_t kChunk = 32;
using Quats = std::array<FloatArray, 4>;

Quat<float> QuatAt(const Quats& q, size_t i) {
  return {q[0][i], q[1][i], q[2][i], q[3][i]};
}
// The largest of numbers that are not negative: their bits are in their order,
// and whole numbers are compared in vectors.
void Raise(float value, int32_t* largest) {
  *largest = std::max(*largest, std::bit_cast<int32_t>(value));
}

// A blend of two keys, as the viewer plays it: component by component.
struct Line {
  Quat<float> from;
  Quat<float> to;
  float begin = 0;
  float per_second = 0;
};

// The square of the chord between unit quaternions, at its worst over frames
// begin..end.
float ChunkError(const Line& line, const RotationCurve& curve,
                 const FrameTimes& times, size_t begin, size_t end) {
  const float* const qx = curve.q[0].data();
  const float* const qy = curve.q[1].data();
  const float* const qz = curve.q[2].data();
  const float* const qw = curve.q[3].data();
  const float* const seconds = times.frame.data();
  int32_t largest = 0;
  for (size_t i = begin; i < end; ++i) {
    const float u = (seconds[i] - line.begin) * line.per_second;
    const float v = 1.0F - u;
    const float x = line.from.x * v + line.to.x * u;
    const float y = line.from.y * v + line.to.y * u;
    const float z = line.from.z * v + line.to.z * u;
    const float w = line.from.w * v + line.to.w * u;
    const float dot = x * qx[i] + y * qy[i] + z * qz[i] + w * qw[i];
    const float length = std::sqrt(x * x + y * y + z * z + w * w);
    const float factor = std::copysign(1.0F / length, dot);
    const float dx = x * factor - qx[i];
    const float dy = y * factor - qy[i];
    const float dz = z * factor - qz[i];
    const float dw = w * factor - qw[i];
    Raise(dx * dx + dy * dy + dz * dz + dw * dw, &largest);
  }
  return std::bit_cast<float>(largest);
}

float ChordSquare(const Quat<float>& r, const Quat<float>& q) {
  const float factor = std::copysign(1.0F / std::sqrt(Dot(r, r)), Dot(r, q));
  const Quat<float> d = {r.x * factor - q.x, r.y * factor - q.y,
                         r.z * factor - q.z, r.w * factor - q.w};
  return Dot(d, d);
}

class RotationFit {
 public:
  RotationFit(const RotationCurve& curve, const FrameTimes& times,
              const FitWorkspace& workspace)
      : curve_(curve),
        times_(times),
        decoded_(workspace.decoded),
        allowed_(workspace.allowed) {}

  // The worst of frames a to b, b only if it is the last, with keys at a and b;
  // of some of them as soon as it is above `limit`.
  float operator()(size_t a, size_t b, float limit) const {
    const Line line = {QuatAt(decoded_, a), QuatAt(decoded_, b), times_.key[a],
                       SecondsInverse(times_.key[a], times_.key[b])};
    const size_t end = b + 1 == curve_.q[0].size() ? b + 1 : b;
    const bool is_plain = Dot(line.from, line.to) >= 0 && allowed_.empty();
    float worst = 0;
    for (size_t i = a; i < end && worst <= limit; i += kChunk) {
      const size_t chunk_end = std::min(end, i + kChunk);
      worst = std::max(worst,
                       is_plain ? ChunkError(line, curve_, times_, i, chunk_end)
                                : OddError(line, i, chunk_end, limit));
    }
    return worst;
  }

 private:
  // The same where signs differ, or where frames may be off by more.
  float OddError(const Line& line, size_t begin, size_t end,
                 float limit) const {
    float worst = 0;
    for (size_t i = begin; i < end; ++i) {
      const float u = (times_.frame[i] - line.begin) * line.per_second;
      const Quat<float> r = BlendRotations(line.from, line.to, u);
      float error = ChordSquare(r, QuatAt(curve_.q, i));
      if (!allowed_.empty() && error <= allowed_[i]) {
        error = std::min(error, limit);
      }
      worst = std::max(worst, error);
    }
    return worst;
  }

  const RotationCurve& curve_;
  const FrameTimes& times_;
  const Quats& decoded_;
  const FloatArray& allowed_;
};

class PositionFit {
 public:
  PositionFit(const PositionCurve& curve, const FrameTimes& times,
              const Quats& decoded)
      : curve_(curve), times_(times), decoded_(decoded) {}

  // As of rotations; the square of the distance.
  float operator()(size_t a, size_t b, float limit) const {
    const size_t end = b + 1 == curve_.p[0].size() ? b + 1 : b;
    float worst = 0;
    for (size_t i = a; i < end && worst <= limit; i += kChunk) {
      worst = std::max(worst, Chunk(a, b, i, std::min(end, i + kChunk)));
    }
    return worst;
  }

 private:
  float Chunk(size_t a, size_t b, size_t begin, size_t end) const {
    const float start = times_.key[a];
    const float per_second = SecondsInverse(start, times_.key[b]);
    const std::array<float, 3> from = {decoded_[0][a], decoded_[1][a],
                                       decoded_[2][a]};
    const std::array<float, 3> to = {decoded_[0][b], decoded_[1][b],
                                     decoded_[2][b]};
    const float* const px = curve_.p[0].data();
    const float* const py = curve_.p[1].data();
    const float* const pz = curve_.p[2].data();
    const float* const seconds = times_.frame.data();
    int32_t largest = 0;
    for (size_t i = begin; i < end; ++i) {
      const float u = (seconds[i] - start) * per_second;
      const float x = from[0] + (to[0] - from[0]) * u - px[i];
      const float y = from[1] + (to[1] - from[1]) * u - py[i];
      const float z = from[2] + (to[2] - from[2]) * u - pz[i];
      Raise(x * x + y * y + z * z, &largest);
    }
    return std::bit_cast<float>(largest);
  }

  const PositionCurve& curve_;
  const FrameTimes& times_;
  const Quats& decoded_;
};

// The last frame that may be the next key behind `a`: first in growing steps,
// then by halving. A longer line that fits where a shorter one does not may be
// overlooked.
template <typename Fit>
size_t FarthestFrom(size_t a, size_t count, size_t guess, float limit,
                    const Fit& fit, float* error) {
  size_t good = a + 1;
  size_t bad = count;
  *error = -1;
  size_t probe = std::min(a + std::max<size_t>(guess, 2), count - 1);
  while (probe > good && probe < bad) {
    const float worst = fit(a, probe, limit);
    if (worst <= limit) {
      good = probe;
      *error = worst;
    } else {
      bad = probe;
    }
    probe = bad == count ? std::min(a + 2 * (probe - a), count - 1)
                         : good + (bad - good) / 2;
  }
  if (*error < 0) {
    *error = fit(a, good, std::numeric_limits<float>::infinity());
  }
  return good;
}

// Indices of the frames that become keys; returns the worst error.
template <typename Fit>
float ChooseFrames(size_t count, float limit, const Fit& fit,
                   std::vector<int32_t>* keys) {
  keys->assign(1, 0);
  float worst = 0;
  size_t last = 0;
  size_t guess = 8;
  while (last + 1 < count) {
    float error = 0;
    const size_t next =
        limit > 0 ? FarthestFrom(last, count, guess, limit, fit, &error)
                  : last + 1;
    if (limit <= 0) {
      error = fit(last, next, std::numeric_limits<float>::infinity());
    }
    worst = std::max(worst, error);
    guess = next - last;
    last = next;
    keys->push_back(static_cast<int32_t>(last));
  }
  return worst;
}

// Several keys of the same value are one, if there is no other.
void MergeStill(std::vector<AnimKey>* keys) {
  const AnimKey& first = keys->front();
  for (const AnimKey& key : *keys) {
    if (key.x != first.x || key.y != first.y || key.z != first.z) return;
  }
  keys->resize(1);
}

std::vector<AnimKey> MakeKeys(const std::vector<int32_t>& frames,
                              const FrameTimes& times, const Quats& decoded,
                              float range) {
  std::vector<AnimKey> keys;
  keys.reserve(frames.size());
  for (const int32_t frame : frames) {
    const auto i = static_cast<size_t>(frame);
    keys.push_back({times.code[i], RoundU16(decoded[0][i], -range, range),
                    RoundU16(decoded[1][i], -range, range),
                    RoundU16(decoded[2][i], -range, range)});
  }
  MergeStill(&keys);
  return keys;
}

float AngleOfChord(float square) {
  return 4.0F * std::asin(std::min(std::sqrt(square) / 2.0F, 1.0F));
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
  const float limit = chord * chord;
  DecodeRotationKeys(curve, times, limit, workspace);
  const RotationFit fit(curve, times, *workspace);
  FitResult result;
  const float worst =
      ChooseFrames(curve.q[0].size(), limit, fit, &workspace->keys);
  result.keys =
      MakeKeys(workspace->keys, times, workspace->decoded, kAnimRotationRange);
  result.error = workspace->allowed.empty()
                     ? AngleOfChord(worst)
                     : MeasureRotation(curve, times, result.keys);
  return result;
}

FitResult FitPosition(const PositionCurve& curve, const FrameTimes& times,
                      float bound, FitWorkspace* workspace) {
  DecodePositionKeys(curve, times, workspace);
  const PositionFit fit(curve, times, workspace->decoded);
  FitResult result;
  const float worst =
      ChooseFrames(curve.p[0].size(), bound * bound, fit, &workspace->keys);
  result.error = std::sqrt(worst);
  result.keys =
      MakeKeys(workspace->keys, times, workspace->decoded, kAnimPositionRange);
  return result;
}

float MeasureRotation(const RotationCurve& curve, const FrameTimes& times,
                      const std::vector<AnimKey>& keys) {
  float worst = 0;
  KeyWalk walk(keys, times.duration);
  for (size_t i = 0; i < curve.q[0].size(); ++i) {
    const BetweenKeys at = walk.To(times.frame[i]);
    const Quat<float> r =
        BlendRotations(RotationOf(*at.from), RotationOf(*at.to), at.u);
    worst = std::max(worst, ChordSquare(r, QuatAt(curve.q, i)));
  }
  return AngleOfChord(worst);
}

float MeasurePosition(const PositionCurve& curve, const FrameTimes& times,
                      const std::vector<AnimKey>& keys) {
  float worst = 0;
  KeyWalk walk(keys, times.duration);
  for (size_t i = 0; i < curve.p[0].size(); ++i) {
    const BetweenKeys at = walk.To(times.frame[i]);
    const Vec3<float> p =
        BlendPositions(PositionOf(*at.from), PositionOf(*at.to), at.u);
    float square = 0;
    for (size_t k = 0; k < 3; ++k) {
      const float d = p[k] - curve.p[k][i];
      square += d * d;
    }
    worst = std::max(worst, square);
  }
  return std::sqrt(worst);
}

}  // namespace bvhmill
