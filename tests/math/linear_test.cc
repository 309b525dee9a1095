#include "bvhmill/math/linear.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace bvhmill::testing {
namespace {

constexpr double kTolerance = 1e-12;

void ExpectNear(const Mat3<double>& actual, const Mat3<double>& expected) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(actual[i][j], expected[i][j], kTolerance) << i << j;
    }
  }
}

Mat3<double> Textbook(int axis, double degrees) {
  const double c = std::cos(degrees * std::numbers::pi / 180);
  const double s = std::sin(degrees * std::numbers::pi / 180);
  if (axis == 0) return {{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
  if (axis == 1) return {{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
  return {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

constexpr double kAngles[] = {0,   0.001, 30,  45,  90,   135, 179.999,
                              180, 270,   360, 400, -720, -90, 1e4};

TEST(Linear, RotateAboutIsTheTextbookMatrix) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const double angle : kAngles) {
      Mat3<double> m = Identity<double>();
      RotateAbout(axis, angle, &m);
      ExpectNear(m, Textbook(axis, angle));
    }
  }
}

TEST(Linear, RotateAboutMultipliesFromTheRight) {
  Mat3<double> m = Identity<double>();
  Mat3<double> expected = Identity<double>();
  for (int i = 0; i < 30; ++i) {
    RotateAbout(i * 7 % 3, 17.0 * i, &m);
    expected = Multiply(expected, Textbook(i * 7 % 3, 17.0 * i));
  }
  ExpectNear(m, expected);
}

TEST(Linear, RotationsAreRightHanded) {
  // A quarter turn takes each axis to the next but one: X about Z to Y.
  for (int axis = 0; axis < 3; ++axis) {
    Mat3<double> m = Identity<double>();
    RotateAbout(axis, 90.0, &m);
    Vec3<double> v = {};
    v[(axis + 1) % 3] = 1;
    const Vec3<double> turned = Transform(m, {}, v);
    EXPECT_NEAR(turned[(axis + 2) % 3], 1, kTolerance) << axis;
  }
}

TEST(Linear, MultiplyAndTransform) {
  const Mat3<double> a = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}};
  const Mat3<double> b = {{{2, 0, 1}, {1, 3, 0}, {0, 5, 4}}};
  ExpectNear(Multiply(a, b), {{{4, 21, 13}, {13, 45, 28}, {22, 74, 47}}});
  ExpectNear(Multiply(a, Identity<double>()), a);
  ExpectNear(Multiply(Identity<double>(), a), a);
  EXPECT_EQ(Transform(a, {10, 20, 30}, {1, 1, 2}), (Vec3<double>{19, 41, 65}));
}

TEST(Linear, QuaternionsAreTheSameRotationsAsMatrices) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const double angle : kAngles) {
      ExpectNear(ToMatrix(AxisQuat(axis, angle)), Textbook(axis, angle));
    }
  }
}

TEST(Linear, QuaternionProductsFollowMatrixProducts) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> angle(-360, 360);
  for (int i = 0; i < 200; ++i) {
    const int axes[] = {static_cast<int>(random() % 3),
                        static_cast<int>(random() % 3),
                        static_cast<int>(random() % 3)};
    Quat<double> q;
    Mat3<double> m = Identity<double>();
    for (const int axis : axes) {
      const double degrees = angle(random);
      q = Multiply(q, AxisQuat(axis, degrees));
      m = Multiply(m, Textbook(axis, degrees));
    }
    ExpectNear(ToMatrix(q), m);
    ExpectNear(ToMatrix(PositiveW(q)), m);
    EXPECT_GE(PositiveW(q).w, 0);
  }
}

TEST(Linear, PositiveWKeepsWhatIsPositive) {
  const Quat<double> q = PositiveW(Quat<double>{0.5, -0.5, 0.5, 0.5});
  EXPECT_EQ(q.x, 0.5);
  EXPECT_EQ(q.w, 0.5);
  const Quat<double> flipped = PositiveW(Quat<double>{0.5, -0.5, 0.5, -0.5});
  EXPECT_EQ(flipped.x, -0.5);
  EXPECT_EQ(flipped.y, 0.5);
  EXPECT_EQ(flipped.w, 0.5);
}

TEST(Linear, DefaultQuaternionIsNoRotation) {
  ExpectNear(ToMatrix(Quat<double>{}), Identity<double>());
  EXPECT_DOUBLE_EQ(ToRadians(180.0), std::numbers::pi);
}

}  // namespace
}  // namespace bvhmill::testing
