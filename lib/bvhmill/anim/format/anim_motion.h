#pragma once

// An .anim file as plain data, with its keys as they are stored. Cheap to move.
//
// Axes are those of the avatar: X forward, Y left, Z up; metres, seconds.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bvhmill/anim/format/anim_format.h"
#include "bvhmill/anim/format/anim_settings.h"
#include "bvhmill/anim/format/quantize.h"
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
  // -1: as the base priority.
  int32_t priority = -1;
  // Rotations relative to the parent.
  std::vector<AnimKey> rotations;
  // Positions relative to the parent; they replace its rest position.
  std::vector<AnimKey> positions;

  friend bool operator==(const AnimJoint&, const AnimJoint&) = default;
};

struct AnimMotion {
  int32_t base_priority = 2;
  // In seconds, as all times here.
  float duration = 0;
  // Name of an expression that is played along; usually empty.
  std::string emote;
  float loop_in = 0;
  float loop_out = 0;
  // Any value except 0 means yes.
  int32_t loop = 0;
  float ease_in = 0.3F;
  float ease_out = 0.3F;
  uint32_t hand_pose = 1;
  std::vector<AnimJoint> joints;
  std::vector<AnimConstraint> constraints;

  friend bool operator==(const AnimMotion&, const AnimMotion&) = default;
};

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

// Size in bytes of the file that WriteAnim makes of `motion`.
size_t AnimBytes(const AnimMotion& motion);

// Bytes of memory that the keys of `motion` take.
int64_t KeyBytes(const AnimMotion& motion);

}  // namespace bvhmill
