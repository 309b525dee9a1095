#include "tests/samples/rotation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bvhmill::samples {

double Dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

Vec3 Cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double Length(const Vec3& a) { return std::sqrt(Dot(a, a)); }

Vec3 Normalized(const Vec3& a) { return (1 / Length(a)) * a; }

Mat3 operator*(const Mat3& a, const Mat3& b) {
  Mat3 product;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      product.at[row][column] = a.at[row][0] * b.at[0][column] +
                                a.at[row][1] * b.at[1][column] +
                                a.at[row][2] * b.at[2][column];
    }
  }
  return product;
}

Vec3 operator*(const Mat3& m, const Vec3& v) {
  return {m.at[0][0] * v.x + m.at[0][1] * v.y + m.at[0][2] * v.z,
          m.at[1][0] * v.x + m.at[1][1] * v.y + m.at[1][2] * v.z,
          m.at[2][0] * v.x + m.at[2][1] * v.y + m.at[2][2] * v.z};
}

Mat3 Transposed(const Mat3& m) {
  return {{{{{m.at[0][0], m.at[1][0], m.at[2][0]}},
            {{m.at[0][1], m.at[1][1], m.at[2][1]}},
            {{m.at[0][2], m.at[1][2], m.at[2][2]}}}}};
}

Mat3 FromColumns(const Vec3& x, const Vec3& y, const Vec3& z) {
  return {{{{{x.x, y.x, z.x}}, {{x.y, y.y, z.y}}, {{x.z, y.z, z.z}}}}};
}

Mat3 RotateAxis(int axis, double degrees) {
  const double radians = degrees * std::numbers::pi / 180;
  const int next = (axis + 1) % 3;
  const int last = (axis + 2) % 3;
  Mat3 m;
  m.at[next][next] = m.at[last][last] = std::cos(radians);
  m.at[last][next] = std::sin(radians);
  m.at[next][last] = -m.at[last][next];
  return m;
}

std::array<double, 3> EulerDegrees(const Mat3& m,
                                   const std::array<int, 3>& axes) {
  const auto [i, j, k] = axes;
  // Written out, m[i][k] = s sin(b), m[j][k] = -s sin(a) cos(b) and
  // m[i][j] = -s cos(b) sin(c), with s = 1 for XYZ, YZX, ZXY and -1 otherwise.
  const double s = (i + 1) % 3 == j ? 1 : -1;
  const double degrees = 180 / std::numbers::pi;
  return {degrees * std::atan2(-s * m.at[j][k], m.at[k][k]),
          degrees * std::asin(std::clamp(s * m.at[i][k], -1.0, 1.0)),
          degrees * std::atan2(-s * m.at[i][j], m.at[i][i])};
}

}  // namespace bvhmill::samples
