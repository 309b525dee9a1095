// The keys of KeyFit against its promises, by slerp in double precision.

#include "bvhmill/encode/key_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace bvhmill::testing {
namespace {

using UnitQuaternion = std::array<double, 4>;

UnitQuaternion At(const KeyFit& fit, size_t i) {
  const auto value = fit.rotation.At(i);
  return {value[0], value[1], value[2], value[3]};
}

double Dot(const UnitQuaternion& a, const UnitQuaternion& b) {
  double dot = 0;
  for (size_t k = 0; k < 4; ++k) dot += a[k] * b[k];
  return dot;
}

// The angle between two rotations, in radians.
double Angle(const UnitQuaternion& a, const UnitQuaternion& b) {
  double square = 0;
  const double sign = Dot(a, b) < 0 ? -1 : 1;
  for (size_t k = 0; k < 4; ++k) {
    square += (a[k] - sign * b[k]) * (a[k] - sign * b[k]);
  }
  return 4 * std::asin(std::min(std::sqrt(square) / 2, 1.0));
}

UnitQuaternion ExactSlerp(const UnitQuaternion& a, const UnitQuaternion& b,
                          double u) {
  const double angle = std::acos(std::min(Dot(a, b), 1.0));
  const double p = angle < 1e-7 ? 1 - u : std::sin((1 - u) * angle);
  const double q = angle < 1e-7 ? u : std::sin(u * angle);
  UnitQuaternion out;
  double square = 0;
  for (size_t k = 0; k < 4; ++k) {
    out[k] = p * a[k] + q * b[k];
    square += out[k] * out[k];
  }
  for (double& value : out) value /= std::sqrt(square);
  return out;
}

// A turn that changes its axis and speed, with `noise` radians.
void FillRotations(size_t count, double noise, KeyFit* fit) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> spread(-noise, noise);
  fit->rotation.Resize(count);
  fit->place.clear();
  for (size_t i = 0; i < count; ++i) {
    fit->place.push_back(static_cast<float>(i));
    const double t = static_cast<double>(i) / 50;
    const double half = t + 0.3 * std::sin(3 * t) + spread(random) / 2;
    const double tilt = 0.5 * std::sin(t);
    const UnitQuaternion q = {std::sin(half) * std::cos(tilt),
                              std::sin(half) * std::sin(tilt), 0,
                              std::cos(half)};
    for (size_t k = 0; k < 4; ++k) {
      fit->rotation.of[k][i] = static_cast<float>(q[k]);
    }
  }
}

double LargestError(const KeyFit& fit) {
  double worst = 0;
  for (size_t key = 0; key + 1 < fit.keys.size(); ++key) {
    const auto from = static_cast<size_t>(fit.keys[key]);
    const auto to = static_cast<size_t>(fit.keys[key + 1]);
    EXPECT_GE(Dot(At(fit, from), At(fit, to)), 0);
    for (size_t i = from; i <= to; ++i) {
      const double u = double(i - from) / double(to - from);
      worst = std::max(
          worst, Angle(ExactSlerp(At(fit, from), At(fit, to), u), At(fit, i)));
    }
  }
  return worst;
}

TEST(KeyFit, RotationsKeepTheBound) {
  for (const double noise : {0.0, 1e-3}) {
    KeyFit fit;
    FillRotations(1000, noise, &fit);
    size_t before = 1001;
    for (const double bound : {1e-4, 1e-3, 1e-2, 1e-1}) {
      FitRotationKeys(bound, &fit);
      EXPECT_EQ(fit.keys.front(), 0);
      EXPECT_EQ(fit.keys.back(), 999);
      EXPECT_LE(LargestError(fit), bound * 1.01) << bound;
      EXPECT_LT(fit.keys.size(), before + 1) << bound;
      before = fit.keys.size();
    }
    EXPECT_LT(before, 100);
  }
}

TEST(KeyFit, WithoutABoundEachFrameHasAKey) {
  KeyFit fit;
  FillRotations(100, 0, &fit);
  FitRotationKeys(0, &fit);
  EXPECT_EQ(fit.keys.size(), 100);
}

TEST(KeyFit, ASteadyTurnNeedsAKeyForLessThanHalfATurn) {
  KeyFit fit;
  const size_t count = 721;
  fit.rotation.Resize(count);
  for (size_t i = 0; i < count; ++i) {
    fit.place.push_back(static_cast<float>(i));
    const double half = static_cast<double>(i) * 3.14159265358979 / 360;
    fit.rotation.of[0][i] = static_cast<float>(std::sin(half));
    fit.rotation.of[3][i] = static_cast<float>(std::cos(half));
  }
  FitRotationKeys(1e-3, &fit);
  EXPECT_LE(LargestError(fit), 1e-3);
  EXPECT_LT(fit.keys.size(), 9);
}

TEST(KeyFit, PositionsKeepTheBound) {
  KeyFit fit;
  fit.position.Resize(500);
  for (size_t i = 0; i < 500; ++i) {
    fit.place.push_back(static_cast<float>(i));
    fit.position.of[0][i] = static_cast<float>(std::sin(double(i) / 40));
    fit.position.of[1][i] = static_cast<float>(i) / 100;
  }
  FitPositionKeys(1e-3, &fit);
  EXPECT_LT(fit.keys.size(), 150);
  double worst = 0;
  for (size_t key = 0; key + 1 < fit.keys.size(); ++key) {
    const auto from = static_cast<size_t>(fit.keys[key]);
    const auto to = static_cast<size_t>(fit.keys[key + 1]);
    for (size_t i = from; i <= to; ++i) {
      const double u = double(i - from) / double(to - from);
      double square = 0;
      for (size_t k = 0; k < 3; ++k) {
        const double a = fit.position.of[k][from];
        const double b = fit.position.of[k][to];
        const double way = a + (b - a) * u - fit.position.of[k][i];
        square += way * way;
      }
      worst = std::max(worst, std::sqrt(square));
    }
  }
  EXPECT_LE(worst, 1.001e-3);
}

TEST(KeyFit, ValuesWithinTheBoundOfTheFirstHaveOneKey) {
  KeyFit fit;
  FillRotations(100, 0, &fit);
  for (size_t k = 0; k < 4; ++k) {
    for (size_t i = 0; i < 100; ++i) {
      fit.rotation.of[k][i] = k == 3 ? 1.0F : k == 0 ? 1e-4F * (i % 2) : 0.0F;
    }
  }
  FitRotationKeys(1e-3, &fit);
  EXPECT_EQ(fit.keys.size(), 1);
  FitRotationKeys(1e-5, &fit);
  EXPECT_EQ(fit.keys.size(), 100);
}

TEST(KeyFit, NoValuesHaveNoKeys) {
  KeyFit fit;
  FitRotationKeys(1, &fit);
  EXPECT_TRUE(fit.keys.empty());
}

}  // namespace
}  // namespace bvhmill::testing
