#pragma once

// The 16-bit codes of an .anim, computed as the viewer does: in single
// precision, with every operation rounded. All functions are pure, for any
// thread.
//
// Source of the formulas: docs/formats/anim.md, section 3.

#include <array>
#include <cmath>
#include <cstdint>

#include "bvhmill/anim/format/anim_format.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// The code of `value` in lo..hi, truncated, never rounded. A value that is not
// a number has the code 0, and so has any value if lo equals hi.
inline uint16_t EncodeU16(float value, float lo, float hi) {
  const float clamped = value < lo ? lo : (value > hi ? hi : value);
  const float scaled = (clamped - lo) / (hi - lo) * 65535.0F;
  return scaled >= 0 ? static_cast<uint16_t>(scaled) : uint16_t{0};
}

// The value of `code` in lo..hi. A value that is nearer to 0 than one step is
// 0.
inline float DecodeU16(uint16_t code, float lo, float hi) {
  constexpr float kStep = 1.0F / 65535.0F;
  const float range = hi - lo;
  const float value = static_cast<float>(code) * kStep * range + lo;
  return std::fabs(value) < range * kStep ? 0.0F : value;
}

// The code whose value is nearest to `value`.
inline uint16_t RoundU16(float value, float lo, float hi) {
  const float clamped = value < lo ? lo : (value > hi ? hi : value);
  const float scaled = (clamped - lo) / (hi - lo) * 65535.0F + 0.5F;
  return scaled >= 0 ? static_cast<uint16_t>(scaled) : uint16_t{0};
}

// The code that the viewer's writers store: truncated once, decoded, truncated
// again.
inline uint16_t EncodeTwice(float value, float range) {
  return EncodeU16(DecodeU16(EncodeU16(value, -range, range), -range, range),
                   -range, range);
}

// The stored form of a rotation: x, y, z of `q` at unit length, with the sign
// that makes w >= 0. A quaternion of (nearly) no length is not normalised.
inline Vec3<float> PackRotation(const Quat<float>& q) {
  constexpr float kLeastLength = 1e-7F;
  const float length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  Vec3<float> v = {q.x, q.y, q.z};
  if (length > kLeastLength) v = {v[0] / length, v[1] / length, v[2] / length};
  if (q.w < 0) v = {-v[0], -v[1], -v[2]};
  return v;
}

// The rotation with those components and w >= 0. If they are longer than 1 it
// does not have unit length, as in the viewer.
inline Quat<float> UnpackRotation(const Vec3<float>& v) {
  const float t = 1.0F - (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return {v[0], v[1], v[2], t > 0 ? std::sqrt(t) : 0.0F};
}

}  // namespace bvhmill
