#include "bvhmill/anim/fit/position_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bvhmill/anim/fit/key_codes.h"
#include "bvhmill/anim/fit/key_play.h"

namespace bvhmill {
namespace {

// The same values as for rotations.
constexpr size_t kChunk = 32;
constexpr float kWorthMoving = 4.0F;
constexpr float kMovedPart = 0.97F;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Units of work: for a line that is tried, for a frame that is compared with
// it, and for a frame for which a moved end is computed.
constexpr int64_t kTryUnits = 80;
constexpr int64_t kValidateUnits = 1;
constexpr int64_t kMoveUnits = 6;

int64_t UnitsOf(size_t frames, int64_t units) {
  return static_cast<int64_t>(frames) * units;
}

float DotOf(const Vec3<float>& a, const Vec3<float>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace

Vec3<float> PositionFit::At(size_t frame) const {
  return {curve_.p[0][frame], curve_.p[1][frame], curve_.p[2][frame]};
}

Vec3<float> PositionFit::DecodedAt(size_t frame) const {
  return {decoded_[0][frame], decoded_[1][frame], decoded_[2][frame]};
}

FitKey<Vec3<float>> PositionFit::FitKeyAt(size_t frame,
                                          const Vec3<float>& value) const {
  const KeyEnd<Value> end = {value, times_.code[frame], times_.key[frame]};
  return {frame, end, end, false};
}

PositionFit::Line PositionFit::LineTo(const FitKey<Value>& from,
                                      const FitKey<Value>& to) const {
  const bool to_last = to.frame + 1 == times_.frame.size();
  return {from.out.value,
          to.in.value,
          from.out.time,
          SecondsInverse(from.out.time, to.in.time),
          from.frame + (from.is_pair ? 1 : 0),
          to.frame + (to_last && !to.is_pair ? 1 : 0)};
}

float PositionFit::ChunkError(const Line& line, size_t begin,
                              size_t end) const {
  const float* const px = curve_.p[0].data();
  const float* const py = curve_.p[1].data();
  const float* const pz = curve_.p[2].data();
  const float* const seconds = times_.frame.data();
  int32_t largest = 0;
  for (size_t i = begin; i < end; ++i) {
    const float u = (seconds[i] - line.begin) * line.per_second;
    const float x = line.from[0] + (line.to[0] - line.from[0]) * u - px[i];
    const float y = line.from[1] + (line.to[1] - line.from[1]) * u - py[i];
    const float z = line.from[2] + (line.to[2] - line.from[2]) * u - pz[i];
    // Bits of positive floats are in the order of the floats.
    largest = std::max(largest, std::bit_cast<int32_t>(x * x + y * y + z * z));
  }
  return std::bit_cast<float>(largest);
}

float PositionFit::LargestError(const Line& line, float enough) const {
  float worst = 0;
  size_t i = line.first;
  while (i < line.end && worst <= enough) {
    const size_t end = std::min(line.end, i + kChunk);
    worst = std::max(worst, ChunkError(line, i, end));
    i = end;
  }
  work_.Spend(UnitsOf(i - line.first, kValidateUnits));
  return worst;
}

Vec3<float> PositionFit::OffsetTo(const Line& line) const {
  Vec3<float> way = {};
  for (size_t k = 1; k < 4; ++k) {
    const size_t i = line.first + (line.end - line.first) * k / 4;
    const float u = (times_.frame[i] - line.begin) * line.per_second;
    const Vec3<float> p = At(i);
    Vec3<float> d = BlendPositions(line.from, line.to, u);
    for (size_t j = 0; j < 3; ++j) d[j] = p[j] - d[j];
    if (DotOf(d, d) > DotOf(way, way)) way = d;
  }
  return way;
}

bool PositionFit::Move(const Line& line, const Vec3<float>& way, float limit,
                       Vec3<float>* value) const {
  const float length = std::sqrt(DotOf(way, way));
  if (!(length > 0)) return false;
  work_.Spend(UnitsOf(line.end - line.first, kMoveUnits));
  Vec3<float> d = way;
  for (float& part : d) part /= length;
  const float start = DotOf(line.from, d);
  const float slope = DotOf(line.to, d) - start;
  const float bound = std::sqrt(limit) * kMovedPart;
  float lo = -bound;
  float hi = bound;
  for (size_t i = line.first + 1; i < line.end; ++i) {
    const float u = (times_.frame[i] - line.begin) * line.per_second;
    const float off = DotOf(At(i), d) - start - slope * u;
    const float inverse = 1.0F / u;
    lo = std::max(lo, (off - bound) * inverse);
    hi = std::min(hi, (off + bound) * inverse);
  }
  if (!(lo <= hi)) return false;
  *value = line.to;
  for (size_t k = 0; k < 3; ++k) (*value)[k] += d[k] * (lo + hi) / 2;
  return true;
}

float PositionFit::OwnError(const FitKey<Value>& fit_key) const {
  const size_t next = fit_key.frame + 1;
  if (next == times_.frame.size()) return 0;
  Line line = LineTo(fit_key, FitKeyAt(next, DecodedAt(next)));
  line.end = next;
  return LargestError(line, kInfinity);
}

bool PositionFit::TryMoved(const FitKey<Value>& from, const Line& line,
                           const Vec3<float>& way, float limit,
                           FitKey<Value>* to, float* error) const {
  Vec3<float> value;
  if (!Move(line, way, limit, &value)) return false;
  const FitKey<Value> moved = FitKeyAt(to->frame, NearestPosition(value));
  *error = LargestError(LineTo(from, moved), limit);
  if (*error > limit || OwnError(moved) > limit) return false;
  *to = moved;
  return true;
}

float PositionFit::Reach(const FitKey<Value>& from, size_t b, float limit,
                         FitKey<Value>* to) const {
  work_.Spend(kTryUnits);
  *to = FitKeyAt(b, DecodedAt(b));
  const Line line = LineTo(from, *to);
  const Vec3<float> way = OffsetTo(line);
  const float square = DotOf(way, way);
  if (square > limit * kWorthMoving) return square;
  float error = kInfinity;
  if (TryMoved(from, line, way, limit, to, &error)) return error;
  if (square > limit) return square;
  error = LargestError(line, limit);
  return error <= limit && OwnError(*to) <= limit ? error : kInfinity;
}

// If the position jumps, a key that is a little early may need a value beyond
// the range of the codes. Two keys with the position of the frame, one before
// it and one after it, then take its place.
float PositionFit::Step(const FitKey<Value>& from, float limit,
                        FitKey<Value>* to) const {
  work_.Spend(kTryUnits);
  const size_t b = from.frame + 1;
  *to = FitKeyAt(b, DecodedAt(b));
  const float error = LargestError(LineTo(from, *to), kInfinity);
  if (limit <= 0 || b + 1 == times_.frame.size() || OwnError(*to) <= limit ||
      times_.code[b] + 1 >= times_.code[b + 1]) {
    return error;
  }
  const Vec3<float> value = NearestPosition(At(b));
  *to = FitKeyAt(b, value);
  ++to->out.code;
  to->out.time = DecodeU16(to->out.code, 0, times_.duration);
  to->is_pair = true;
  Vec3<float> d = value;
  for (size_t k = 0; k < 3; ++k) d[k] -= At(b)[k];
  return std::max(LargestError(LineTo(from, *to), kInfinity), DotOf(d, d));
}

}  // namespace bvhmill
