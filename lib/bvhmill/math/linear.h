#pragma once

// Small linear algebra for poses: column vectors, row-major matrices, unit
// quaternions, right-handed rotations. `Real` is float or double.
//
//   const Quat<double> q = AxisQuat(0, 90.0);          // about X
//   const Vec3<double> at = Transform(ToMatrix(q), origin, offset);

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace bvhmill {

template <typename Real>
using Vec3 = std::array<Real, 3>;

template <typename Real>
using Mat3 = std::array<std::array<Real, 3>, 3>;

template <typename Real>
struct Quat {
  Real x = 0;
  Real y = 0;
  Real z = 0;
  Real w = 1;
};

template <typename Real>
inline constexpr Real kDegreesPerRadian = static_cast<Real>(180 /
                                                            std::numbers::pi);

template <typename Real>
Real ToRadians(Real degrees) {
  return degrees * static_cast<Real>(std::numbers::pi / 180.0);
}

// Vectors.

template <typename Real>
Vec3<Real> Minus(const Vec3<Real>& a, const Vec3<Real>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

template <typename Real>
Real Dot(const Vec3<Real>& a, const Vec3<Real>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <typename Real>
Vec3<Real> Cross(const Vec3<Real>& a, const Vec3<Real>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
          a[0] * b[1] - a[1] * b[0]};
}

// Matrices.

template <typename Real>
constexpr Mat3<Real> Identity() {
  return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

// a + m * v.
template <typename Real>
Vec3<Real> Transform(const Mat3<Real>& m, const Vec3<Real>& a,
                     const Vec3<Real>& v) {
  Vec3<Real> out = a;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) out[i] += m[i][k] * v[k];
  }
  return out;
}

template <typename Real>
Mat3<Real> Multiply(const Mat3<Real>& a, const Mat3<Real>& b) {
  Mat3<Real> out = {};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}

// Replaces m by m * R(axis, degrees), where R is the right-handed rotation
// about X, Y or Z (0, 1 or 2). Only two columns of `m` change.
template <typename Real>
void RotateAbout(int axis, Real degrees, Mat3<Real>* m) {
  // fmod is exact, so huge angles lose no precision.
  const Real radians = ToRadians(std::fmod(degrees, Real{360}));
  const Real c = std::cos(radians);
  const Real s = std::sin(radians);
  const int u = (axis + 1) % 3;
  const int v = (axis + 2) % 3;
  for (auto& row : *m) {
    const Real a = row[u];
    const Real b = row[v];
    row[u] = c * a + s * b;
    row[v] = c * b - s * a;
  }
}

// Quaternions.

// The cosine of half the angle between two rotations, for unit quaternions. It
// is negative if `a` is nearer to -b than to b.
template <typename Real>
Real Dot(const Quat<Real>& a, const Quat<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// Hamilton product: the rotation `b`, followed by the rotation `a`.
template <typename Real>
Quat<Real> Multiply(const Quat<Real>& a, const Quat<Real>& b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
          a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

// The right-handed rotation by `degrees` about X, Y or Z (0, 1 or 2).
template <typename Real>
Quat<Real> AxisQuat(int axis, Real degrees) {
  // The remainder is by two turns, because one turn changes the sign of the
  // quaternion.
  const Real half = ToRadians(std::fmod(degrees, Real{720})) / 2;
  const Real s = std::sin(half);
  return {axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0,
          std::cos(half)};
}

// The same rotation with w >= 0.
template <typename Real>
Quat<Real> PositiveW(const Quat<Real>& q) {
  if (q.w >= 0) return q;
  return {-q.x, -q.y, -q.z, -q.w};
}

// The rotation matrix of a unit quaternion.
template <typename Real>
Mat3<Real> ToMatrix(const Quat<Real>& q) {
  const Real xx = q.x * q.x;
  const Real yy = q.y * q.y;
  const Real zz = q.z * q.z;
  const Real xy = q.x * q.y;
  const Real xz = q.x * q.z;
  const Real yz = q.y * q.z;
  const Real wx = q.w * q.x;
  const Real wy = q.w * q.y;
  const Real wz = q.w * q.z;
  return {{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
           {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
           {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

// The angle between two rotations in degrees, for unit quaternions; q and -q
// are the same rotation. From 0 to 180. Computed from the distance of the
// quaternions, because the arc cosine of their dot product is inexact for small
// angles. NaN if a value is not a number.
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
