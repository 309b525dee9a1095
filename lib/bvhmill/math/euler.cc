#include "bvhmill/math/euler.h"

#include <cmath>
#include <numbers>

namespace bvhmill {
namespace {

// Below this sine (or cosine) of the middle angle, the first and the last angle
// cannot be separated: their values would be rounding noise. Treating the
// angles as locked changes the rotation by no more than this.
constexpr double kLock = 1e-8;

double ToDegrees(double radians) { return radians * 180 / std::numbers::pi; }

// The axis that is neither `a` nor `b`.
int ThirdAxis(int a, int b) { return 3 - a - b; }

// +1 if (a, b, third axis) is a cyclic order of X, Y, Z; -1 otherwise.
double ParityOf(int a, int b) { return (a + 1) % 3 == b ? 1 : -1; }

// One of the two solutions. `locked`: its middle angle does not let the other
// two be separated (gimbal lock).
struct Solution {
  EulerAngles degrees;
  bool locked = false;
};

// Solves for three different axes i, j, k.
Solution SolveThreeAxes(const EulerAxes& axes, const Mat3<double>& m) {
  const auto [i, j, k] = axes;
  const double e = ParityOf(i, j);
  const double cosine = std::hypot(m[i][i], m[i][j]);
  return {{ToDegrees(std::atan2(-e * m[j][k], m[k][k])),
           ToDegrees(std::atan2(e * m[i][k], cosine)),
           ToDegrees(std::atan2(-e * m[i][j], m[i][i]))},
          cosine < kLock};
}

// Solves for axes i, j, i.
Solution SolveTwoAxes(const EulerAxes& axes, const Mat3<double>& m) {
  const int i = axes[0];
  const int j = axes[1];
  const int k = ThirdAxis(i, j);
  const double e = ParityOf(i, j);
  const double sine = std::hypot(m[i][j], m[i][k]);
  return {{ToDegrees(std::atan2(m[j][i], -e * m[k][i])),
           ToDegrees(std::atan2(sine, m[i][i])),
           ToDegrees(std::atan2(m[i][j], e * m[i][k]))},
          sine < kLock};
}

// The first angle, if the last one is given. In m * R_c(-last) = R_a * R_b,
// only the first angle rotates the column of the middle axis.
double FirstAngle(const EulerAxes& axes, Mat3<double> m, double last) {
  RotateAbout(axes[2], -last, &m);
  const int j = axes[1];
  const int k = ThirdAxis(axes[0], j);
  const double e = ParityOf(axes[0], j);
  return ToDegrees(std::atan2(e * m[k][j], m[j][j]));
}

EulerAngles TurnsNear(EulerAngles degrees, const EulerAngles& near) {
  for (int i = 0; i < 3; ++i) {
    degrees[i] = near[i] + ShortestArc(near[i], degrees[i]);
  }
  return degrees;
}

double Distance(const EulerAngles& a, const EulerAngles& b) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

}  // namespace

Mat3<double> FromEuler(const EulerAxes& axes, const EulerAngles& degrees) {
  Mat3<double> m = Identity<double>();
  for (int i = 0; i < 3; ++i) RotateAbout(axes[i], degrees[i], &m);
  return m;
}

Quat<double> QuatFromEuler(const EulerAxes& axes, const EulerAngles& degrees) {
  Quat<double> q;
  for (int i = 0; i < 3; ++i) {
    q = Multiply(q, AxisQuat(axes[i], degrees[i]));
  }
  return q;
}

EulerAngles ToEuler(const EulerAxes& axes, const Mat3<double>& m,
                    const EulerAngles& near) {
  const bool three = axes[0] != axes[2];
  const Solution one = three ? SolveThreeAxes(axes, m) : SolveTwoAxes(axes, m);
  EulerAngles first = one.degrees;
  if (one.locked) {
    first[2] = near[2];
    first[0] = FirstAngle(axes, m, near[2]);
    return TurnsNear(first, near);
  }
  const double middle = three ? 180 - first[1] : -first[1];
  const EulerAngles second = {first[0] + 180, middle, first[2] + 180};
  const EulerAngles a = TurnsNear(first, near);
  const EulerAngles b = TurnsNear(second, near);
  return Distance(b, near) < Distance(a, near) ? b : a;
}

double ShortestArc(double from, double to) {
  return std::remainder(to - from, 360.0);
}

}  // namespace bvhmill
