#pragma once

// Rotations as angles about three axes, for all twelve sequences:
// R = R_a(angle 0) * R_b(angle 1) * R_c(angle 2), axes 0, 1, 2 for X, Y, Z,
// angles in degrees. In double precision throughout.

#include <array>

#include "bvhmill/math/linear.h"

namespace bvhmill {

using EulerAxes = std::array<int, 3>;
using EulerAngles = std::array<double, 3>;

// True if the sequence reaches every rotation: no axis stands next to itself.
constexpr bool IsEulerSequence(const EulerAxes& axes) {
  return axes[0] != axes[1] && axes[1] != axes[2];
}

// The rotation that the angles say.
Mat3<double> FromEuler(const EulerAxes& axes, const EulerAngles& degrees);
Quat<double> QuatFromEuler(const EulerAxes& axes, const EulerAngles& degrees);

// The angles of the rotation `m`, of all that give it those next to `near`, so
// that the angles of a motion do not jump where they need not. In gimbal lock,
// where the first and the last angle turn about one line, the last one stays as
// in `near`. The axes must be an Euler sequence. NaN if `m` has a NaN.
EulerAngles ToEuler(const EulerAxes& axes, const Mat3<double>& m,
                    const EulerAngles& near);

// The shortest way from `from` to `to`: their difference within -180..180.
double ShortestArc(double from, double to);

}  // namespace bvhmill
