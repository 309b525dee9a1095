#pragma once

// Angles for BVH. Private to anim/.

#include "bvhmill/math/linear.h"

namespace bvhmill {

// Degrees about Z, X and Y, Z outermost, that make the rotation `q`; of all
// that do so those that are nearest to `before`.
Vec3<double> NearestAngles(const Quat<double>& q, const Vec3<double>& before);

}  // namespace bvhmill
