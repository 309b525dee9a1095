// Vectors and rotations for the sample figures.
//
// The frame is right-handed with Y up: a figure that faces +Z has its left
// side at +X. Matrices act on column vectors; angles are degrees everywhere.
#pragma once

#include <array>

namespace bvhmill::samples {

struct Vec3 {
  double x = 0;
  double y = 0;
  double z = 0;
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3 operator*(double s, const Vec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}

// a . b
double Dot(const Vec3& a, const Vec3& b);

// a x b, right-handed.
Vec3 Cross(const Vec3& a, const Vec3& b);

// Euclidean length of `a`, in the unit of `a`.
double Length(const Vec3& a);

// `a` scaled to length 1; `a` must not be zero.
Vec3 Normalized(const Vec3& a);

// A rotation, at[row][column]. The default is the identity.
struct Mat3 {
  std::array<std::array<double, 3>, 3> at = {
      {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}}};
};

// Matrix product: (a * b) * v rotates v by b first, then by a.
Mat3 operator*(const Mat3& a, const Mat3& b);
Vec3 operator*(const Mat3& m, const Vec3& v);

// The inverse of a rotation.
Mat3 Transposed(const Mat3& m);

// The rotation that takes the axes X, Y, Z to three orthonormal vectors.
Mat3 FromColumns(const Vec3& x, const Vec3& y, const Vec3& z);

// Right-handed rotation about a coordinate axis, 0 = X, 1 = Y, 2 = Z.
Mat3 RotateAxis(int axis, double degrees);
inline Mat3 RotateX(double degrees) { return RotateAxis(0, degrees); }
inline Mat3 RotateY(double degrees) { return RotateAxis(1, degrees); }
inline Mat3 RotateZ(double degrees) { return RotateAxis(2, degrees); }

// The angles a, b, c (degrees) with m = R_i(a) * R_j(b) * R_k(c), where
// (i, j, k) = `axes` is a permutation of 0, 1, 2: the Tait-Bryan angles of a
// BVH joint that lists its rotation channels in that order. b lies within
// +-90; the result is not defined at b = +-90 (gimbal lock).
std::array<double, 3> EulerDegrees(const Mat3& m,
                                   const std::array<int, 3>& axes);

}  // namespace bvhmill::samples
