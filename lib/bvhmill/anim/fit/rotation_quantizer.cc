#include "bvhmill/anim/fit/rotation_quantizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bvhmill/anim/fit/key_codes.h"
#include "bvhmill/anim/fit/key_play.h"

namespace bvhmill {
namespace {

// If w is above this, rounding is accurate to 0.02 degrees.
constexpr float kSmallW = 0.2F;
// Squares of the chords of 0.01 and 0.03 degrees. Above each of them a wider
// search is worth its time.
constexpr float kGood = 7.6e-9F;
constexpr float kFair = 6.9e-8F;
constexpr int kNear = 2;
constexpr int kFar = 8;

constexpr float kStep = 2.0F / 65535.0F;

// Units of work: for a code that is tried, and for a pair of them.
constexpr int64_t kCodeUnits = 5;
constexpr int64_t kPairUnits = 28;

void SpendOn(WorkMeter* work, int64_t units) {
  if (work != nullptr) work->Spend(units);
}

float SquareDistance(const Quat<float>& a, const Quat<float>& b) {
  const Quat<float> d = {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
  return Dot(d, d);
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
