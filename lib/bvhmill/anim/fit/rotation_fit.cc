#include "bvhmill/anim/fit/rotation_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bvhmill/anim/fit/key_codes.h"
#include "bvhmill/anim/fit/key_play.h"
#include "bvhmill/anim/fit/rotation_quantizer.h"

namespace bvhmill {
namespace {

// Frames that are measured between two checks whether the error is large enough
// to stop.
constexpr size_t kChunk = 32;
// If the ends of a line are on the curve, and its squared error is more than
// this times the limit, moving one end cannot make it fit.
constexpr float kWorthMoving = 4.0F;
// The squared error of a code, as a fraction of the limit, above which a pair
// of keys is tried.
constexpr float kHard = 0.1F;
// The part of the bound that a moved key may use; the rest is for the rounding
// of its codes.
constexpr float kMovedPart = 0.97F;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Units of work: for a line that is tried; for a frame that is compared with
// it, and the same if the signs of the keys differ; and for a frame for which a
// moved end is computed.
constexpr int64_t kTryUnits = 100;
constexpr int64_t kValidateUnits = 2;
constexpr int64_t kOddUnits = 60;
constexpr int64_t kMoveUnits = 2;

int64_t UnitsOf(size_t frames, int64_t units) {
  return static_cast<int64_t>(frames) * units;
}

// The maximum of numbers that are not negative. Their bits are in the same
// order, and the maximum of integers is vectorised.
void Raise(float value, int32_t* largest) {
  *largest = std::max(*largest, std::bit_cast<int32_t>(value));
}

}  // namespace

Quat<float> RotationFit::DecodedAt(size_t frame) const {
  return QuatAt(decoded_, frame);
}

FitKey<Quat<float>> RotationFit::FitKeyAt(size_t frame,
                                          const Quat<float>& value) const {
  const KeyEnd<Value> end = {value, times_.code[frame], times_.key[frame]};
  return {frame, end, end, false};
}

RotationFit::Line RotationFit::LineTo(const FitKey<Value>& from,
                                      const FitKey<Value>& to) const {
  const bool to_last = to.frame + 1 == times_.frame.size();
  return {from.out.value,
          to.in.value,
          from.out.time,
          SecondsInverse(from.out.time, to.in.time),
          from.frame + (from.is_pair ? 1 : 0),
          to.frame + (to_last && !to.is_pair ? 1 : 0)};
}

float RotationFit::ChunkError(const Line& line, size_t begin,
                              size_t end) const {
  const float* const qx = curve_.q[0].data();
  const float* const qy = curve_.q[1].data();
  const float* const qz = curve_.q[2].data();
  const float* const qw = curve_.q[3].data();
  const float* const seconds = times_.frame.data();
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

// ChunkError for keys whose signs differ.
float RotationFit::OddError(const Line& line, size_t begin, size_t end) const {
  float worst = 0;
  for (size_t i = begin; i < end; ++i) {
    const float u = (times_.frame[i] - line.begin) * line.per_second;
    worst = std::max(worst, ChordSquare(BlendRotations(line.from, line.to, u),
                                        QuatAt(curve_.q, i)));
  }
  return worst;
}

float RotationFit::LargestError(const Line& line, float enough) const {
  const bool is_plain = Dot(line.from, line.to) >= 0;
  float worst = 0;
  size_t i = line.first;
  while (i < line.end && worst <= enough) {
    const size_t end = std::min(line.end, i + kChunk);
    worst = std::max(
        worst, is_plain ? ChunkError(line, i, end) : OddError(line, i, end));
    i = end;
  }
  work_.Spend(UnitsOf(i - line.first, is_plain ? kValidateUnits : kOddUnits));
  return worst;
}

// Measures at a quarter, half and three quarters of the line: if the curve
// bends, one of them is near the largest error. A difference in length only
// does not count.
Quat<float> RotationFit::ChordTo(const Line& line) const {
  Quat<float> chord = {0, 0, 0, 0};
  float worst = 0;
  for (size_t k = 1; k < 4; ++k) {
    const size_t i = line.first + (line.end - line.first) * k / 4;
    const float u = (times_.frame[i] - line.begin) * line.per_second;
    const float v = 1.0F - u;
    const Quat<float> q = QuatAt(curve_.q, i);
    const Quat<float> r = {
        line.from.x * v + line.to.x * u, line.from.y * v + line.to.y * u,
        line.from.z * v + line.to.z * u, line.from.w * v + line.to.w * u};
    const float dot = Dot(q, r);
    const Quat<float> d = {q.x * dot - r.x, q.y * dot - r.y, q.z * dot - r.z,
                           q.w * dot - r.w};
    const float square = Dot(d, d);
    if (square <= worst) continue;
    worst = square;
    chord = d;
  }
  return chord;
}

// Uses only the components along `chord`. The error across it is not bounded
// here.
bool RotationFit::Move(const Line& line, const Quat<float>& chord, float limit,
                       Quat<float>* value) const {
  const float length = std::sqrt(Dot(chord, chord));
  if (!(length > 0)) return false;
  work_.Spend(UnitsOf(line.end - line.first, kMoveUnits));
  const float scale = 1.0F / length;
  const Quat<float> d = {chord.x * scale, chord.y * scale, chord.z * scale,
                         chord.w * scale};
  const float start = Dot(line.from, d);
  const float slope = Dot(line.to, d) - start;
  const float bound = std::sqrt(limit) * kMovedPart;
  int32_t lo = OrderOf(-bound);
  int32_t hi = OrderOf(bound);
  const float* const qx = curve_.q[0].data();
  const float* const qy = curve_.q[1].data();
  const float* const qz = curve_.q[2].data();
  const float* const qw = curve_.q[3].data();
  const float* const seconds = times_.frame.data();
  for (size_t i = line.first + 1; i < line.end; ++i) {
    const float u = (seconds[i] - line.begin) * line.per_second;
    const float on_curve =
        qx[i] * d.x + qy[i] * d.y + qz[i] * d.z + qw[i] * d.w;
    const float off = on_curve - start - slope * u;
    const float inverse = 1.0F / u;
    lo = std::max(lo, OrderOf((off - bound) * inverse));
    hi = std::min(hi, OrderOf((off + bound) * inverse));
  }
  if (lo > hi) return false;
  const float way = (InOrder(lo) + InOrder(hi)) / 2;
  *value = {line.to.x + d.x * way, line.to.y + d.y * way, line.to.z + d.z * way,
            line.to.w + d.w * way};
  return true;
}

float RotationFit::OwnError(const FitKey<Value>& fit_key) const {
  const size_t next = fit_key.frame + 1;
  if (next == times_.frame.size()) return 0;
  Line line = LineTo(fit_key, FitKeyAt(next, DecodedAt(next)));
  line.end = next;
  return LargestError(line, kInfinity);
}

bool RotationFit::TryMoved(const FitKey<Value>& from, const Line& line,
                           const Quat<float>& chord, float limit,
                           FitKey<Value>* to, float* error) const {
  Quat<float> value;
  if (!Move(line, chord, limit, &value)) return false;
  const FitKey<Value> moved =
      FitKeyAt(to->frame, NearestRotation(value, &work_));
  *error = LargestError(LineTo(from, moved), limit);
  if (*error > limit || OwnError(moved) > limit) return false;
  *to = moved;
  return true;
}

bool RotationFit::TryPair(const FitKey<Value>& from, size_t b, float limit,
                          FitKey<Value>* to, float* error) const {
  FitKey<Value> pair;
  const float own = PairAt(QuatAt(curve_.q, b), times_, b, &pair, &work_);
  if (own > limit || pair.in.code <= from.out.code) return false;
  *error = std::max(own, LargestError(LineTo(from, pair), limit));
  if (*error > limit) return false;
  *to = pair;
  return true;
}

float RotationFit::Reach(const FitKey<Value>& from, size_t b, float limit,
                         FitKey<Value>* to) const {
  work_.Spend(kTryUnits);
  *to = FitKeyAt(b, DecodedAt(b));
  const Line line = LineTo(from, *to);
  float error = kInfinity;
  if (Dot(line.from, line.to) >= 0) {
    const Quat<float> chord = ChordTo(line);
    const float square = Dot(chord, chord);
    if (square > limit * kWorthMoving) return square;
    if (TryMoved(from, line, chord, limit, to, &error)) return error;
    if (square > limit) return square;
  }
  error = LargestError(line, limit);
  if (error <= limit && OwnError(*to) <= limit) return error;
  const bool is_hard =
      ChordSquare(DecodedAt(b), QuatAt(curve_.q, b)) > limit * kHard;
  return is_hard && TryPair(from, b, limit, to, &error) ? error : kInfinity;
}

float RotationFit::Step(const FitKey<Value>& from, float limit,
                        FitKey<Value>* to) const {
  work_.Spend(kTryUnits);
  const size_t b = from.frame + 1;
  *to = FitKeyAt(b, DecodedAt(b));
  float error = LargestError(LineTo(from, *to), kInfinity);
  if (limit <= 0 || (error <= limit && OwnError(*to) <= limit)) return error;
  FitKey<Value> pair;
  float pair_error = 0;
  if (TryPair(from, b, limit, &pair, &pair_error)) {
    *to = pair;
    return pair_error;
  }
  return error;
}

}  // namespace bvhmill
