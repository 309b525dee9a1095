#include "bvhmill/anim/fit/key_codes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bvhmill/anim/fit/key_play.h"
#include "bvhmill/anim/format/anim_motion.h"

namespace bvhmill {
namespace {

// Nearest codes.

// If w is above this, rounding is accurate to 0.02 degrees; below it, maybe
// not.
constexpr float kSmallW = 0.2F;

// Squares of the chords of 0.01 and 0.03 degrees. Above each of them a wider
// search is worth its time.
constexpr float kGood = 7.6e-9F;
constexpr float kFair = 6.9e-8F;
constexpr int kNear = 2;
constexpr int kFar = 8;

constexpr float kStep = 2.0F / 65535.0F;

// Units of work for a code that is tried.
constexpr int64_t kCodeUnits = 5;

void SpendOn(WorkMeter* work, int64_t units) {
  if (work != nullptr) work->Spend(units);
}

float SquareDistance(const Quat<float>& a, const Quat<float>& b) {
  const Quat<float> d = {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
  return Dot(d, d);
}

float RoundTrip(float value, float range) {
  return DecodeU16(RoundU16(value, -range, range), -range, range);
}

int CodeOf(float value) { return RoundU16(value, -1, 1); }

float Decoded(int code) {
  return DecodeU16(static_cast<uint16_t>(std::clamp(code, 0, 65535)), -1, 1);
}

Quat<float> Unit(const Quat<float>& q) {
  const float factor = std::copysign(1.0F / std::sqrt(Dot(q, q)), q.w);
  return {q.x * factor, q.y * factor, q.z * factor, q.w * factor};
}

Quat<float> Rounded(const Quat<float>& q) {
  return UnpackRotation(
      {Decoded(CodeOf(q.x)), Decoded(CodeOf(q.y)), Decoded(CodeOf(q.z))});
}

// The nearest code so far.
struct Best {
  const Quat<float>& q;
  Quat<float> value;
  float square = std::numeric_limits<float>::max();

  void Try(const Vec3<float>& v) {
    const Quat<float> r = UnpackRotation(v);
    const float distance = SquareDistance(r, q);
    if (distance >= square) return;
    square = distance;
    value = r;
  }
};

// Tries values of two components. The third, which is the largest, then follows
// from w, since one step of it changes w more than a step of the others.
void SearchCodes(int reach, Best* best, WorkMeter* work) {
  const int64_t width = 2 * reach + 1;
  SpendOn(work, 2 * width * width * kCodeUnits);
  const Vec3<float> v = {best->q.x, best->q.y, best->q.z};
  size_t large = 0;
  for (size_t k = 1; k < 3; ++k) {
    if (std::fabs(v[k]) > std::fabs(v[large])) large = k;
  }
  const size_t one = (large + 1) % 3;
  const size_t two = (large + 2) % 3;
  const float rest = 1.0F - best->q.w * best->q.w;
  Vec3<float> r = v;
  for (int i = -reach; i <= reach; ++i) {
    r[one] = Decoded(CodeOf(v[one]) + i);
    for (int j = -reach; j <= reach; ++j) {
      r[two] = Decoded(CodeOf(v[two]) + j);
      const float square = rest - r[one] * r[one] - r[two] * r[two];
      const float value =
          std::copysign(std::sqrt(std::max(square, 0.0F)), v[large]);
      const int code = static_cast<int>((value + 1.0F) / kStep);
      for (int k = 0; k < 2; ++k) {
        r[large] = Decoded(code + k);
        best->Try(r);
      }
    }
  }
}

// Curves.

using Quats = std::array<FloatArray, 4>;

// Frames are worked on in blocks.
constexpr size_t kBlock = 64;
using Block = std::array<float, kBlock>;

// Units of work for a frame, and for a frame near half a turn.
constexpr int64_t kFrameUnits = 8;
constexpr int64_t kNearUnits = 20;

void PutQuat(const Quat<float>& value, size_t i, Quats* q) {
  (*q)[0][i] = value.x;
  (*q)[1][i] = value.y;
  (*q)[2][i] = value.z;
  (*q)[3][i] = value.w;
}

// The fast twin of RoundTrip(value, 1), without branches. `value` may exceed 1
// by a rounding error.
inline float RoundTripUnit(float value) {
  constexpr float kPart = 1.0F / 65535.0F;
  const float scaled = (value + 1.0F) / 2.0F * 65535.0F + 0.5F;
  const auto code = static_cast<float>(static_cast<int32_t>(scaled));
  const float decoded = code * kPart * 2.0F - 1.0F;
  return std::fabs(decoded) < 2.0F * kPart ? 0.0F : decoded;
}

// The value of the key of frame i, with w >= 0. The key is a little early; the
// line from it to the next frame goes through frame i.
Quat<float> AtKey(const RotationCurve& curve, const FrameTimes& times,
                  size_t i) {
  const Quat<float> here = QuatAt(curve.q, i);
  const Quat<float> next =
      QuatAt(curve.q, std::min(i + 1, curve.q[0].size() - 1));
  const float back = std::copysign(times.early[i], -Dot(here, next));
  const float stay = 1.0F + times.early[i];
  return Unit({here.x * stay + next.x * back, here.y * stay + next.y * back,
               here.z * stay + next.z * back, here.w * stay + next.w * back});
}

// The same in codes for the frames begin..begin + count, each of which has a
// frame after it.
void DecodeBlock(const RotationCurve& curve, const float* early, size_t begin,
                 size_t count, std::array<Block, 4>* out) {
  const float* const qx = curve.q[0].data() + begin;
  const float* const qy = curve.q[1].data() + begin;
  const float* const qz = curve.q[2].data() + begin;
  const float* const qw = curve.q[3].data() + begin;
  for (size_t i = 0; i < count; ++i) {
    const float dot = qx[i] * qx[i + 1] + qy[i] * qy[i + 1] +
                      qz[i] * qz[i + 1] + qw[i] * qw[i + 1];
    const float back = std::copysign(early[i], -dot);
    const float stay = 1.0F + early[i];
    const float x = qx[i] * stay + qx[i + 1] * back;
    const float y = qy[i] * stay + qy[i + 1] * back;
    const float z = qz[i] * stay + qz[i + 1] * back;
    const float w = qw[i] * stay + qw[i + 1] * back;
    const float length = std::sqrt(x * x + y * y + z * z + w * w);
    const float factor = std::copysign(1.0F / length, w);
    const float kx = RoundTripUnit(x * factor);
    const float ky = RoundTripUnit(y * factor);
    const float kz = RoundTripUnit(z * factor);
    const float square = 1.0F - (kx * kx + ky * ky + kz * kz);
    (*out)[0][i] = kx;
    (*out)[1][i] = ky;
    (*out)[2][i] = kz;
    (*out)[3][i] = std::sqrt(square > 0 ? square : 0.0F);
  }
}

void DecodeAll(const RotationCurve& curve, const FrameTimes& times,
               Quats* decoded) {
  const size_t last = curve.q[0].size() - 1;
  std::array<Block, 4> block;
  for (size_t begin = 0; begin < last; begin += kBlock) {
    const size_t count = std::min(kBlock, last - begin);
    DecodeBlock(curve, times.early.data() + begin, begin, count, &block);
    for (size_t k = 0; k < block.size(); ++k) {
      std::copy_n(block[k].begin(), count,
                  (*decoded)[k].begin() + static_cast<int64_t>(begin));
    }
  }
  const Quat<float> q = AtKey(curve, times, last);
  PutQuat(UnpackRotation(
              {RoundTripUnit(q.x), RoundTripUnit(q.y), RoundTripUnit(q.z)}),
          last, decoded);
}

// Pairs of keys.

// Units of work for two codes that are tried.
constexpr int64_t kPairUnits = 28;

// The eight codes around `q`.
std::array<Quat<float>, 8> CodesAround(const Quat<float>& q) {
  std::array<Quat<float>, 8> around;
  const Vec3<float> v = {q.x, q.y, q.z};
  for (size_t i = 0; i < around.size(); ++i) {
    Vec3<float> r = {};
    for (size_t k = 0; k < 3; ++k) {
      const int below = static_cast<int>((v[k] + 1.0F) / kStep);
      r[k] = Decoded(below + static_cast<int>((i >> k) & 1U));
    }
    around[i] = UnpackRotation(r);
  }
  return around;
}

// Times of two keys around a frame.
struct Around {
  uint16_t in_code = 0;
  uint16_t out_code = 0;
  float in = 0;
  float out = 0;
  float u = 0;
};

// The number of codes before a frame, and after it, at which the keys of a pair
// may be.
constexpr int kMaxWays = 5;

Around TimesAround(const FrameTimes& times, size_t b, int before, int after) {
  Around at;
  at.in_code = static_cast<uint16_t>(times.code[b] - before);
  at.out_code = static_cast<uint16_t>(times.code[b] + 1 + after);
  at.in = DecodeU16(at.in_code, 0, times.duration);
  at.out = DecodeU16(at.out_code, 0, times.duration);
  at.u = (times.frame[b] - at.in) * SecondsInverse(at.in, at.out);
  return at;
}

bool HasRoom(const FrameTimes& times, size_t b) {
  constexpr int kLeastCodes = 2 * kMaxWays + 2;
  return b > 0 && b + 1 < times.code.size() &&
         times.code[b] - times.code[b - 1] >= kLeastCodes &&
         times.code[b + 1] - times.code[b] >= kLeastCodes;
}

void TryTimes(const Quat<float>& q, const std::array<Quat<float>, 8>& codes,
              const Around& at, float* least, FitKey<Quat<float>>* pair) {
  for (const Quat<float>& a : codes) {
    for (const Quat<float>& c : codes) {
      const float error = ChordSquare(BlendRotations(a, c, at.u), q);
      if (error >= *least) continue;
      *least = error;
      pair->in = {a, at.in_code, at.in};
      pair->out = {c, at.out_code, at.out};
    }
  }
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

Vec3<float> NearestPosition(const Vec3<float>& p) {
  return {RoundTrip(p[0], kAnimPositionRange),
          RoundTrip(p[1], kAnimPositionRange),
          RoundTrip(p[2], kAnimPositionRange)};
}

Quat<float> NearestRotation(const Quat<float>& any, WorkMeter* work) {
  const Quat<float> q = Unit(any);
  const Quat<float> rounded = Rounded(q);
  if (q.w >= kSmallW) return rounded;
  Best best = {q, rounded, SquareDistance(rounded, q)};
  if (best.square > kGood) SearchCodes(kNear, &best, work);
  if (best.square > kFair) SearchCodes(kFar, &best, work);
  return best.value;
}

Quat<float> NearestRotationOfAll(const Quat<float>& any, int reach) {
  const Quat<float> q = Unit(any);
  Best best = {q, {}};
  for (int i = -reach; i <= reach; ++i) {
    for (int j = -reach; j <= reach; ++j) {
      for (int k = -reach; k <= reach; ++k) {
        best.Try({Decoded(CodeOf(q.x) + i), Decoded(CodeOf(q.y) + j),
                  Decoded(CodeOf(q.z) + k)});
      }
    }
  }
  return best.value;
}

void DecodeRotationKeys(const RotationCurve& curve, const FrameTimes& times,
                        Quats* decoded, WorkMeter* work) {
  const size_t count = curve.q[0].size();
  for (FloatArray& array : *decoded) array.resize(count);
  work->Spend(static_cast<int64_t>(count) * kFrameUnits);
  DecodeAll(curve, times, decoded);
  for (size_t i = 0; i < count && work->ok(); ++i) {
    if (curve.q[3][i] >= kSmallW) continue;
    work->Spend(kNearUnits);
    PutQuat(NearestRotation(AtKey(curve, times, i), work), i, decoded);
  }
}

void DecodePositionKeys(const PositionCurve& curve, const FrameTimes& times,
                        Quats* decoded, WorkMeter* work) {
  const size_t count = curve.p[0].size();
  work->Spend(static_cast<int64_t>(count) * kFrameUnits);
  for (size_t k = 0; k < 3; ++k) {
    const FloatArray& p = curve.p[k];
    FloatArray& out = (*decoded)[k];
    out.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const float next = p[std::min(i + 1, count - 1)];
      const float value = p[i] + (p[i] - next) * times.early[i];
      out[i] = RoundTrip(value, kAnimPositionRange);
    }
  }
}

float PairAt(const Quat<float>& q, const FrameTimes& times, size_t b,
             FitKey<Quat<float>>* pair, WorkMeter* work) {
  if (!HasRoom(times, b)) return std::numeric_limits<float>::infinity();
  *pair = {b, {}, {}, true};
  const Quat<float> nearest = NearestRotation(q, work);
  const Around at = TimesAround(times, b, 0, 0);
  pair->in = {nearest, at.in_code, at.in};
  pair->out = {nearest, at.out_code, at.out};
  float least = ChordSquare(nearest, q);
  const std::array<Quat<float>, 8> codes = CodesAround(q);
  for (int way = 0; way < kMaxWays * kMaxWays && least > kFair; ++way) {
    SpendOn(work,
            static_cast<int64_t>(codes.size() * codes.size()) * kPairUnits);
    TryTimes(q, codes, TimesAround(times, b, way / kMaxWays, way % kMaxWays),
             &least, pair);
  }
  return least;
}

}  // namespace bvhmill
