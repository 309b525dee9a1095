#pragma once

// Plays keys as the viewer does: finds the keys around a time and blends their
// values.
//
//   KeyCursor cursor(joint.rotations, motion.duration);
//   const BetweenKeys at = cursor.To(seconds);
//   const Quat<float> r =
//       BlendRotations(RotationOf(*at.from), RotationOf(*at.to), at.u);

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// The keys around a time, and its position between them: 0 at `from`, 1 at
// `to`.
struct BetweenKeys {
  const AnimKey* from;
  const AnimKey* to;
  float u;
};

// Moves along sorted keys, of which there must be at least one. Times must not
// decrease from call to call. Before the first key and after the last, that key
// holds.
class KeyCursor {
 public:
  KeyCursor(std::span<const AnimKey> keys, float duration)
      : keys_(keys), duration_(duration) {}

  BetweenKeys To(float seconds);

 private:
  std::span<const AnimKey> keys_;
  float duration_;
  size_t next_ = 0;
};

// Sorts keys by time. If several have the same time, keeps the last one.
void SortKeys(std::vector<AnimKey>* keys);

// 1 / (to - from); 0 unless `to` is after `from`.
inline float SecondsInverse(float from, float to) {
  return to > from ? 1.0F / (to - from) : 0.0F;
}

// Blends a and b: `u` = 0 is a, `u` = 1 is b. Blends component by component or,
// if the signs of the quaternions differ, by slerp the shorter way. The result
// does not have length 1.
Quat<float> BlendRotations(const Quat<float>& a, const Quat<float>& b, float u);
inline Vec3<float> BlendPositions(const Vec3<float>& a, const Vec3<float>& b,
                                  float u) {
  return {a[0] + (b[0] - a[0]) * u, a[1] + (b[1] - a[1]) * u,
          a[2] + (b[2] - a[2]) * u};
}

// The square of the chord from `r`, of any length, to the unit quaternion `q`,
// or to -q if that is nearer.
inline float ChordSquare(const Quat<float>& r, const Quat<float>& q) {
  const float factor = std::copysign(1.0F / std::sqrt(Dot(r, r)), Dot(r, q));
  const Quat<float> d = {r.x * factor - q.x, r.y * factor - q.y,
                         r.z * factor - q.z, r.w * factor - q.w};
  return Dot(d, d);
}
// The angle between the rotations, in radians.
inline float AngleOfChord(float square) {
  return 4.0F * std::asin(std::min(std::sqrt(square) / 2.0F, 1.0F));
}

}  // namespace bvhmill
