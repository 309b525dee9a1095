// The sine and cosine of the library, against those of the standard library.

#include "bvhmill/math/sincos.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "bvhmill/math/sincos-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bvhmill::HWY_NAMESPACE {

struct Pair {
  float sine;
  float cosine;
};

Pair SinCosOf(float degrees) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<float, 1> d;
  auto sine = hn::Zero(d);
  auto cosine = hn::Zero(d);
  SinCosDegrees(d, hn::Set(d, degrees), &sine, &cosine);
  return {hn::GetLane(sine), hn::GetLane(cosine)};
}

}  // namespace bvhmill::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace bvhmill::testing {
namespace {

// Every quarter of a degree near zero, and angles of every size.
std::vector<float> Angles() {
  std::vector<float> angles = {kMaxSinCosDegrees, -kMaxSinCosDegrees};
  for (int i = -4 * 720; i <= 4 * 720; ++i) {
    angles.push_back(0.25F * static_cast<float>(i));
  }
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const double size =
        std::uniform_real_distribution(-3.0, std::log10(4e7))(random);
    const auto angle = static_cast<float>(std::pow(10, size));
    angles.push_back(i % 2 == 0 ? angle : -angle);
  }
  return angles;
}

TEST(SinCosDegrees, IsWithinItsBound) {
  double worst = 0;
  for (const float degrees : Angles()) {
    // The remainder is exact.
    const double radians = std::remainder(static_cast<double>(degrees), 360) *
                           std::numbers::pi / 180;
    const auto [sine, cosine] = HWY_STATIC_DISPATCH(SinCosOf)(degrees);
    worst = std::max({worst, std::abs(sine - std::sin(radians)),
                      std::abs(cosine - std::cos(radians))});
  }
  EXPECT_LE(worst, 1.3e-7);
}

}  // namespace
}  // namespace bvhmill::testing
