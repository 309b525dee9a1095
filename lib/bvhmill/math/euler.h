#pragma once

// Rotations as angles about three axes, for all twelve sequences:
//
//   R = R_a(angle 0) * R_b(angle 1) * R_c(angle 2)
//
// Axes are 0, 1, 2 for X, Y, Z. Angles are in degrees. All computations are in
// double precision.

#include <array>

#include "bvhmill/math/linear.h"

namespace bvhmill {

using EulerAxes = std::array<int, 3>;
using EulerAngles = std::array<double, 3>;

// True if the sequence can express every rotation: no two neighbouring axes are
// equal.
constexpr bool IsEulerSequence(const EulerAxes& axes) {
  return axes[0] != axes[1] && axes[1] != axes[2];
}

// The rotation with these angles.
Mat3<double> FromEuler(const EulerAxes& axes, const EulerAngles& degrees);
Quat<double> QuatFromEuler(const EulerAxes& axes, const EulerAngles& degrees);

// The angles of the rotation `m`. Of all solutions, returns the one nearest to
// `near`, so that the angles of a motion do not jump without need. In gimbal
// lock, where the first and the last angle rotate about the same line, the last
// angle is that of `near`. `axes` must be an Euler sequence. NaN if `m` has a
// NaN.
EulerAngles ToEuler(const EulerAxes& axes, const Mat3<double>& m,
                    const EulerAngles& near);

// The difference `to` - `from`, brought into -180..180 degrees by full turns.
double ShortestArc(double from, double to);

}  // namespace bvhmill
