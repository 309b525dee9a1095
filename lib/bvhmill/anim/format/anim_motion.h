#pragma once

// An .anim file of Second Life as plain data, with its keys as they are stored,
// and the 16-bit codes of keys. docs/formats/anim.md describes the format.
//
//   for (const AnimKey& key : motion.joints[0].rotations) {
//     const float seconds = TimeOf(key, motion.duration);
//     const Quat<float> rotation = RotationOf(key);
//   }
//
// Axes are those of the avatar: X forward, Y left, Z up. Units are metres and
// seconds. All functions are thread-safe.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bvhmill/anim/format/anim_settings.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// A key of a curve, in codes. `time` spans 0 to the duration; x, y and z span
// -1..1 for rotations, -5..5 m for positions.
struct AnimKey {
  uint16_t time = 0;
  uint16_t x = 0;
  uint16_t y = 0;
  uint16_t z = 0;

  friend bool operator==(const AnimKey&, const AnimKey&) = default;
};

struct AnimJoint {
  std::string name;
  // -1: the base priority.
  int32_t priority = -1;
  // Rotations relative to the parent.
  std::vector<AnimKey> rotations;
  // Positions relative to the parent; they replace its rest position.
  std::vector<AnimKey> positions;

  friend bool operator==(const AnimJoint&, const AnimJoint&) = default;
};

// The content of a file.
struct AnimMotion {
  int32_t base_priority = 2;
  float duration = 0;
  // The name of an expression that the viewer also plays; usually empty.
  std::string emote;
  float loop_in = 0;
  float loop_out = 0;
  // 0: the motion does not loop. All other values: it loops.
  int32_t loop = 0;
  float ease_in = 0.3F;
  float ease_out = 0.3F;
  uint32_t hand_pose = 1;
  std::vector<AnimJoint> joints;
  std::vector<AnimConstraint> constraints;

  friend bool operator==(const AnimMotion&, const AnimMotion&) = default;
};

// Size in bytes of the file that WriteAnim makes of `motion`.
size_t AnimBytes(const AnimMotion& motion);

// Bytes of memory that the keys of `motion` take.
int64_t KeyBytes(const AnimMotion& motion);

// Constants of the format.

// Seconds, inclusive.
inline constexpr float kMaxAnimSeconds = 60.0F;
inline constexpr int64_t kMaxAnimJoints = 216;
// The largest chain length that the viewer has memory for. The last volume of a
// chain counts as well.
inline constexpr int kMaxAnimChain = 3;
inline constexpr int kAnimConstraintTypes = 2;

// The priorities of a joint; -1: the base priority. The viewer clamps the base
// priority to kMaxAnimPriority, which is also the highest effective priority of
// a joint.
inline constexpr int32_t kMinAnimPriority = -1;
inline constexpr int32_t kMaxAnimPriority = 6;

// The viewer also accepts 14, although there is no such pose.
inline constexpr uint32_t kMaxAnimHandPose = 13;
inline constexpr uint32_t kMaxReadHandPose = 14;

// The version that WriteAnim writes, and the older one that ReadAnim also
// reads. Version 0.1 has Euler angles in degrees, and times as single floats.
inline constexpr uint16_t kAnimVersion = 1;
inline constexpr uint16_t kAnimSubVersion = 0;
inline constexpr uint16_t kAnimLegacyVersion = 0;
inline constexpr uint16_t kAnimLegacySubVersion = 1;

// The ranges of quantised values are -range..range: components of a unit
// quaternion, and metres.
inline constexpr float kAnimRotationRange = 1.0F;
inline constexpr float kAnimPositionRange = 5.0F;

// Sizes in bytes: a key of version 1.0 and of version 0.1, and a name of fixed
// length.
inline constexpr size_t kAnimKeyBytes = 8;
inline constexpr size_t kAnimLegacyKeyBytes = 16;
inline constexpr size_t kAnimFixedNameBytes = 16;

// The server (not the viewer) refuses an upload of more bytes.
inline constexpr int64_t kMaxAnimUploadBytes = 250'000;

// Metres in an inch: INCHES_TO_METERS of the viewer's llbvhloader.cpp.
inline constexpr double kInchMetres = 0.02540005;

// The 16-bit codes, computed as the viewer does: in single precision, with
// every operation rounded. Source of the formulas: docs/formats/anim.md,
// section 3.

// The code of `value` in lo..hi, truncated, never rounded. The code of NaN is
// 0; all codes are 0 if lo equals hi.
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
// that makes w >= 0. Does not normalise a quaternion with a length near 0.
inline Vec3<float> PackRotation(const Quat<float>& q) {
  constexpr float kLeastLength = 1e-7F;
  const float length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  Vec3<float> v = {q.x, q.y, q.z};
  if (length > kLeastLength) v = {v[0] / length, v[1] / length, v[2] / length};
  if (q.w < 0) v = {-v[0], -v[1], -v[2]};
  return v;
}

// The rotation with the components `v` and w >= 0. If `v` is longer than 1, the
// rotation does not have unit length, as in the viewer.
inline Quat<float> UnpackRotation(const Vec3<float>& v) {
  const float t = 1.0F - (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return {v[0], v[1], v[2], t > 0 ? std::sqrt(t) : 0.0F};
}

// The decoded values of keys.
inline float TimeOf(const AnimKey& key, float duration) {
  return DecodeU16(key.time, 0, duration);
}
inline Vec3<float> ComponentsOf(const AnimKey& key, float range) {
  return {DecodeU16(key.x, -range, range), DecodeU16(key.y, -range, range),
          DecodeU16(key.z, -range, range)};
}
inline Quat<float> RotationOf(const AnimKey& key) {
  return UnpackRotation(ComponentsOf(key, kAnimRotationRange));
}
inline Vec3<float> PositionOf(const AnimKey& key) {
  return ComponentsOf(key, kAnimPositionRange);
}

}  // namespace bvhmill
