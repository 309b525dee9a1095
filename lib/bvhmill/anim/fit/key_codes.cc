#include "bvhmill/anim/fit/key_codes.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/anim/fit/key_play.h"
#include "bvhmill/anim/fit/rotation_quantizer.h"

namespace bvhmill {
namespace {

// If w is below this, rounding may not be accurate enough.
constexpr float kSmallW = 0.2F;

// Frames are worked on in blocks.
constexpr size_t kBlock = 64;
using Block = std::array<float, kBlock>;

using Quats = std::array<FloatArray, 4>;

// Units of work for a frame, and for a frame whose codes are searched.
constexpr int64_t kFrameUnits = 8;
constexpr int64_t kNearUnits = 20;

void PutQuat(const Quat<float>& value, size_t i, Quats* q) {
  (*q)[0][i] = value.x;
  (*q)[1][i] = value.y;
  (*q)[2][i] = value.z;
  (*q)[3][i] = value.w;
}

float RoundTrip(float value, float range) {
  return DecodeU16(RoundU16(value, -range, range), -range, range);
}

// The fast twin of RoundTrip(value, 1), without branches. `value` may exceed 1
// by a rounding error.
inline float RoundTripUnit(float value) {
  constexpr float kStep = 1.0F / 65535.0F;
  const float scaled = (value + 1.0F) / 2.0F * 65535.0F + 0.5F;
  const auto code = static_cast<float>(static_cast<int32_t>(scaled));
  const float decoded = code * kStep * 2.0F - 1.0F;
  return std::fabs(decoded) < 2.0F * kStep ? 0.0F : decoded;
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
  const Quat<float> q = {
      here.x * stay + next.x * back, here.y * stay + next.y * back,
      here.z * stay + next.z * back, here.w * stay + next.w * back};
  const float factor = std::copysign(1.0F / std::sqrt(Dot(q, q)), q.w);
  return {q.x * factor, q.y * factor, q.z * factor, q.w * factor};
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

}  // namespace

void DecodeRotationKeys(const RotationCurve& curve, const FrameTimes& times,
                        FitWorkspace* workspace) {
  const size_t count = curve.q[0].size();
  Quats& decoded = workspace->decoded;
  for (FloatArray& array : decoded) array.resize(count);
  WorkMeter& work = workspace->work;
  work.Spend(static_cast<int64_t>(count) * kFrameUnits);
  DecodeAll(curve, times, &decoded);
  for (size_t i = 0; i < count && work.ok(); ++i) {
    if (curve.q[3][i] >= kSmallW) continue;
    work.Spend(kNearUnits);
    PutQuat(NearestRotation(AtKey(curve, times, i), &work), i, &decoded);
  }
}

void DecodePositionKeys(const PositionCurve& curve, const FrameTimes& times,
                        FitWorkspace* workspace) {
  const size_t count = curve.p[0].size();
  workspace->work.Spend(static_cast<int64_t>(count) * kFrameUnits);
  for (size_t k = 0; k < 3; ++k) {
    const FloatArray& p = curve.p[k];
    FloatArray& out = workspace->decoded[k];
    out.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const float next = p[std::min(i + 1, count - 1)];
      const float value = p[i] + (p[i] - next) * times.early[i];
      out[i] = RoundTrip(value, kAnimPositionRange);
    }
  }
}

Vec3<float> NearestPosition(const Vec3<float>& p) {
  return {RoundTrip(p[0], kAnimPositionRange),
          RoundTrip(p[1], kAnimPositionRange),
          RoundTrip(p[2], kAnimPositionRange)};
}

}  // namespace bvhmill
