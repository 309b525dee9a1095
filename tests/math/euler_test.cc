#include "bvhmill/math/euler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace bvhmill::testing {
namespace {

std::vector<EulerAxes> AllSequences() {
  std::vector<EulerAxes> all;
  for (int i = 0; i < 27; ++i) {
    const EulerAxes axes = {i / 9, i / 3 % 3, i % 3};
    if (IsEulerSequence(axes)) all.push_back(axes);
  }
  return all;
}

void ExpectSame(const Mat3<double>& actual, const Mat3<double>& expected,
                double tolerance) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      ASSERT_NEAR(actual[i][j], expected[i][j], tolerance) << i << j;
    }
  }
}

TEST(Euler, ThereAreTwelveSequences) { EXPECT_EQ(AllSequences().size(), 12); }

TEST(Euler, QuaternionsAreTheMatrices) {
  for (const EulerAxes& axes : AllSequences()) {
    const EulerAngles angles = {200, -35, 71};
    ExpectSame(ToMatrix(QuatFromEuler(axes, angles)), FromEuler(axes, angles),
               1e-14);
  }
}

TEST(Euler, EverySequenceRoundTripsToItsOwnAngles) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> angle(-720, 720);
  for (const EulerAxes& axes : AllSequences()) {
    for (int i = 0; i < 500; ++i) {
      const EulerAngles angles = {angle(random), angle(random), angle(random)};
      const EulerAngles back = ToEuler(axes, FromEuler(axes, angles), angles);
      for (int k = 0; k < 3; ++k) ASSERT_NEAR(back[k], angles[k], 1e-6);
    }
  }
}

TEST(Euler, AnglesGiveTheRotationForAnyPreviousAngles) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> angle(-180, 180);
  for (const EulerAxes& axes : AllSequences()) {
    for (int i = 0; i < 500; ++i) {
      const EulerAngles angles = {angle(random), angle(random), angle(random)};
      const EulerAngles near = {angle(random), angle(random), angle(random)};
      const Mat3<double> m = FromEuler(axes, angles);
      const EulerAngles back = ToEuler(axes, m, near);
      ASSERT_NO_FATAL_FAILURE(ExpectSame(FromEuler(axes, back), m, 1e-12));
    }
  }
}

// Right angles, where two axes fall into one, and close to them.
TEST(Euler, GimbalLockKeepsTheRotationAndTheLastAngle) {
  for (const EulerAxes& axes : AllSequences()) {
    const bool three = axes[0] != axes[2];
    for (const double lock : three ? std::vector<double>{90, -90, 270}
                                   : std::vector<double>{0, 180, -180}) {
      for (const double off : {0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3}) {
        const Mat3<double> m = FromEuler(axes, {33, lock + off, -71});
        const EulerAngles back = ToEuler(axes, m, {10, lock, 20});
        ASSERT_NO_FATAL_FAILURE(ExpectSame(FromEuler(axes, back), m, 2e-8));
        if (off == 0) {
          EXPECT_EQ(back[2], 20);
        }
      }
    }
  }
}

TEST(Euler, TakesTheAnswerNearestToTheOneBefore) {
  const EulerAxes axes = {2, 0, 1};
  // 190 is -170, but comes after 185.
  const EulerAngles turned =
      ToEuler(axes, FromEuler(axes, {-170, 10, 20}), {185, 10, 20});
  EXPECT_NEAR(turned[0], 190, 1e-9);
  // A middle angle beyond 90 stays there.
  const EulerAngles over =
      ToEuler(axes, FromEuler(axes, {5, 95, 7}), {4, 89, 6});
  EXPECT_NEAR(over[0], 5, 1e-9);
  EXPECT_NEAR(over[1], 95, 1e-9);
  EXPECT_NEAR(over[2], 7, 1e-9);
}

TEST(Euler, NanGivesNan) {
  Mat3<double> m = Identity<double>();
  m[0][0] = m[1][2] = m[2][1] = std::numeric_limits<double>::quiet_NaN();
  const EulerAngles angles = ToEuler({2, 0, 1}, m, {});
  EXPECT_TRUE(std::isnan(angles[0] + angles[1] + angles[2]));
}

TEST(Euler, ShortestArcs) {
  const double kCases[][3] = {{0, 10, 10},      {10, 0, -10}, {170, -170, 20},
                              {-170, 170, -20}, {0, 720, 0},  {0, 540, 180},
                              {350, 10, 20},    {-725, 0, 5}};
  for (const auto& [from, to, way] : kCases) {
    EXPECT_EQ(std::abs(ShortestArc(from, to)), std::abs(way));
    if (std::abs(way) != 180) {
      EXPECT_EQ(ShortestArc(from, to), way);
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
