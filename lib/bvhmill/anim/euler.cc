#include "bvhmill/anim/euler.h"

#include <algorithm>
#include <cmath>

namespace bvhmill {
namespace {

constexpr double kDegrees = 57.295779513082323;
constexpr double kTurn = 360;

// With whole turns added or taken off, each angle as near as it can be.
Vec3<double> Unwind(Vec3<double> angles, const Vec3<double>& before) {
  for (size_t k = 0; k < 3; ++k) {
    angles[k] += kTurn * std::round((before[k] - angles[k]) / kTurn);
  }
  return angles;
}

double Way(const Vec3<double>& a, const Vec3<double>& b) {
  return std::fabs(a[0] - b[0]) + std::fabs(a[1] - b[1]) +
         std::fabs(a[2] - b[2]);
}

}  // namespace

// Rz Rx Ry has sin x at (2, 1), tan y in row 2, tan z in column 1. Where x is a
// quarter turn only the sum or the difference of the others counts.
Vec3<double> NearestAngles(const Quat<double>& q, const Vec3<double>& before) {
  constexpr double kQuarterTurn = 1 - 1e-12;
  const double length =
      std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const Mat3<double> m = ToMatrix<double>(
      {q.x / length, q.y / length, q.z / length, q.w / length});
  const double sine = std::clamp(m[2][1], -1.0, 1.0);
  Vec3<double> angles = {std::atan2(-m[0][1], m[1][1]) * kDegrees,
                         std::asin(sine) * kDegrees,
                         std::atan2(-m[2][0], m[2][2]) * kDegrees};
  if (std::fabs(sine) >= kQuarterTurn) {
    const double y = before[2];
    const double sum = std::atan2(m[1][0], m[0][0]) * kDegrees;
    angles = {sine > 0 ? sum - y : sum + y, angles[1], y};
    return Unwind(angles, before);
  }
  const Vec3<double> one = Unwind(angles, before);
  const Vec3<double> other =
      Unwind({angles[0] + 180, 180 - angles[1], angles[2] + 180}, before);
  return Way(one, before) <= Way(other, before) ? one : other;
}

}  // namespace bvhmill
