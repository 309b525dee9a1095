#pragma once

// The angle between two rotations.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bvhmill/math/linear.h"

namespace bvhmill {

// The angle between two unit quaternions, degrees; q and -q are the same
// rotation. From the distance instead of the dot product, which is not exact
// for small angles. NaN if a value is not a number.
inline double AngleBetween(const Quat<double>& a, const Quat<double>& b) {
  const double sign = Dot(a, b) < 0 ? -1 : 1;
  const double x = a.x - sign * b.x;
  const double y = a.y - sign * b.y;
  const double z = a.z - sign * b.z;
  const double w = a.w - sign * b.w;
  const double half = std::sqrt(x * x + y * y + z * z + w * w) / 2;
  if (std::isnan(half)) return half;
  return 4 * std::asin(std::min(half, 1.0)) * 180 / std::numbers::pi;
}

}  // namespace bvhmill
