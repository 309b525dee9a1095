// Codes of rotations near half a turn, against a search of all codes around.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bvhmill/anim/fit/key_codes.h"
#include "bvhmill/anim/fit/key_play.h"
#include "tests/support/worse.h"

namespace bvhmill::testing {
namespace {

constexpr float kRadiansPerDegree = 0.017453292F;

Quat<float> Near(double x, double y, double z, double w) {
  const double length = std::sqrt(x * x + y * y + z * z);
  const double part = std::sqrt(1 - w * w) / length;
  return {static_cast<float>(x * part), static_cast<float>(y * part),
          static_cast<float>(z * part), static_cast<float>(w)};
}

float DegreesOff(const Quat<float>& r, const Quat<float>& q) {
  return AngleOfChord(ChordSquare(r, q)) / kRadiansPerDegree;
}

// w from 0 to 0.25, more often small; axes everywhere and near X, Y, Z.
Quat<float> AnyNear(std::mt19937_64* random) {
  std::normal_distribution<double> any;
  std::uniform_real_distribution<double> unit(0, 1);
  double v[3] = {any(*random), any(*random), any(*random)};
  if ((*random)() % 3 == 0) v[(*random)() % 3] *= 30;
  return Near(v[0], v[1], v[2], 0.25 * std::pow(unit(*random), 4));
}

TEST(RotationQuantizer, FindsTheNearestOfAllCodes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    const Quat<float> q = AnyNear(&random);
    const float degrees = DegreesOff(NearestRotation(q), q);
    // Below 0.03 degrees the search ends.
    const float least = DegreesOff(NearestRotationOfAll(q, 8), q);
    EXPECT_LE(degrees, std::max(least * 1.01F + 0.001F, 0.031F));
  }
}

// Rare are those whose components are 0 or alike.
TEST(RotationQuantizer, IsWithinTheBoundForMostRotations) {
  std::mt19937_64 random(2);
  float worst = 0;
  int bad = 0;
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i) {
    const Quat<float> q = AnyNear(&random);
    const float degrees = DegreesOff(NearestRotation(q), q);
    bad += degrees <= 0.05F ? 0 : 1;
    worst = Worse(worst, degrees);
  }
  EXPECT_LT(worst, 0.46F);
  EXPECT_LT(bad, kCount / 40);
}

// A pair of keys says what no key can, also about the axes themselves.
TEST(RotationQuantizer, PairsAreWithinTheBoundEverywhere) {
  const FrameTimes times = MakeFrameTimes(301, 10);
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const Quat<float> q =
        i % 2 == 0 ? AnyNear(&random) : Near(1, 0, 0, 1e-6 * (i % 20'000));
    FitKey<Quat<float>> pair;
    const size_t b = 1 + static_cast<size_t>(i) % 299;
    ASSERT_TRUE(std::isfinite(PairAt(q, times, b, &pair)));
    const float u =
        (times.frame[b] - pair.in.time) / (pair.out.time - pair.in.time);
    const Quat<float> r = BlendRotations(pair.in.value, pair.out.value, u);
    EXPECT_LE(DegreesOff(r, q), 0.08F);
  }
}

TEST(RotationQuantizer, PairsNeedRoom) {
  FitKey<Quat<float>> pair;
  const Quat<float> q = Near(1, 0, 0, 0.004);
  const FrameTimes few = MakeFrameTimes(10, 1);
  EXPECT_TRUE(std::isinf(PairAt(q, few, 0, &pair)));
  EXPECT_TRUE(std::isinf(PairAt(q, few, 9, &pair)));
  EXPECT_LT(PairAt(q, few, 5, &pair), 1e-6F);
  const FrameTimes many = MakeFrameTimes(20'000, 60);
  EXPECT_TRUE(std::isinf(PairAt(q, many, 5, &pair)));
}

}  // namespace
}  // namespace bvhmill::testing
