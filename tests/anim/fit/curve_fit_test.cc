#include "bvhmill/anim/fit/curve_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "bvhmill/math/sincos.h"
#include "tests/support/worse.h"

namespace bvhmill::testing {
namespace {

constexpr float kDegree = 0.017453292F;

TEST(FastSinCos, IsNearTheTruth) {
  std::mt19937_64 random(1);
  double worst = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    const double range = std::pow(10.0, i % 8);
    std::uniform_real_distribution<double> any(-range, range);
    const auto degrees = static_cast<float>(any(random));
    if (std::fabs(degrees) > kMaxSinCosDegrees) continue;
    const SinCos both = FastSinCos(degrees);
    const double radians = std::fmod(degrees, 360.0) * M_PI / 180;
    worst = Worse(worst, std::fabs(both.sine - std::sin(radians)));
    worst = Worse(worst, std::fabs(both.cosine - std::cos(radians)));
  }
  EXPECT_LT(worst, 2.5e-7);
}

using Motion = std::function<Quat<double>(double)>;

RotationCurve Sample(const Motion& motion, int64_t count, double duration) {
  RotationCurve curve;
  for (FloatArray& array : curve.q) array.resize(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const double seconds = count == 1 ? 0
                                      : duration * static_cast<double>(i) /
                                            static_cast<double>(count - 1);
    const Quat<double> q = PositiveW(motion(seconds));
    const auto f = static_cast<size_t>(i);
    curve.q[0][f] = static_cast<float>(q.x);
    curve.q[1][f] = static_cast<float>(q.y);
    curve.q[2][f] = static_cast<float>(q.z);
    curve.q[3][f] = static_cast<float>(q.w);
  }
  return curve;
}

Quat<double> Turn(int axis, double degrees) { return AxisQuat(axis, degrees); }

// Motions, and the keys that they take at most for 0.1 degrees over 2 s.
struct Case {
  std::string name;
  Motion motion;
  size_t most_keys;
};

std::vector<Case> Cases() {
  return {
      {"still", [](double) { return Turn(0, 40); }, 1},
      {"rest", [](double) { return Quat<double>{}; }, 1},
      // The viewer blends components, which is not quite even.
      {"even", [](double t) { return Turn(1, 20 * t); }, 3},
      {"fast", [](double t) { return Turn(2, 500 * t); }, 60},
      {"wave", [](double t) { return Turn(0, 30 * std::sin(5 * t)); }, 55},
      // Through 180 degrees, where w is 0 and the stored sign changes.
      {"over", [](double t) { return Turn(1, 90 + 90 * t); }, 12},
      {"tumbles",
       [](double t) {
         return Multiply(Turn(0, 200 * t),
                         Multiply(Turn(1, 300 * t), Turn(2, 90 * t)));
       },
       90},
      {"jumps", [](double t) { return Turn(0, t < 1 ? 0 : 170); }, 5},
  };
}

TEST(CurveFit, RotationsKeepTheBoundWithFewKeys) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    const RotationCurve curve = Sample(c.motion, 241, 2);
    const FrameTimes times = MakeFrameTimes(241, 2);
    FitWorkspace workspace;
    for (const float degrees : {0.1F, 1.0F, 10.0F}) {
      const FitResult fit =
          FitRotation(curve, times, degrees * kDegree, &workspace);
      EXPECT_LE(fit.error, degrees * kDegree * 1.001F + 1e-6F);
      const float measured = MeasureRotation(curve, times, fit.keys);
      EXPECT_NEAR(measured, fit.error, 1e-5F) << degrees;
      EXPECT_LE(fit.keys.size(), c.most_keys) << degrees;
    }
  }
}

// Near half a turn about an axis the codes are 0.9 degrees apart. Two keys
// around a frame blend to what is between.
TEST(CurveFit, PairsOfKeysReachValuesBetweenCodes) {
  const Motion kMotions[] = {
      [](double t) { return Turn(1, 180 + 0.5 * std::sin(9 * t)); },
      [](double t) { return Turn(2, 179.8 + 0.01 * t); },
      [](double t) { return Turn(0, t == 0 || t > 1.99 ? 90 : 180.3); },
  };
  for (const Motion& motion : kMotions) {
    const RotationCurve curve = Sample(motion, 241, 2);
    const FrameTimes times = MakeFrameTimes(241, 2);
    FitWorkspace workspace;
    const FitResult fit = FitRotation(curve, times, 0.1F * kDegree, &workspace);
    EXPECT_LE(fit.keys.size(), 2 * 241);
    float inner = 0;
    int64_t frame = -1;
    const float error = MeasureRotation(curve, times, fit.keys, &frame);
    EXPECT_NEAR(error, fit.error, 1e-5F);
    inner = frame == 0 || frame == 240 ? 0 : error;
    EXPECT_LE(inner, 0.1001F * kDegree);
  }
}

TEST(CurveFit, WithoutBoundThereIsAKeyForEachFrame) {
  const RotationCurve curve = Sample(Cases()[4].motion, 241, 2);
  FitWorkspace workspace;
  const FrameTimes times = MakeFrameTimes(241, 2);
  const FitResult fit = FitRotation(curve, times, 0, &workspace);
  EXPECT_EQ(fit.keys.size(), 241);
  EXPECT_LT(fit.error, 0.01F * kDegree);
}

// Long motions: a step of the time is worth 0.9 ms, in which 500 degrees a
// second are 0.45 degrees.
TEST(CurveFit, LateCodesDoNotCount) {
  const Motion fast = [](double t) { return Turn(2, 500 * t); };
  const RotationCurve curve = Sample(fast, 7201, 60);
  const FrameTimes times = MakeFrameTimes(7201, 60);
  FitWorkspace workspace;
  const FitResult fit = FitRotation(curve, times, 0.1F * kDegree, &workspace);
  EXPECT_LE(MeasureRotation(curve, times, fit.keys), 0.1001F * kDegree);
}

// The fewest keys there can be on the curve, by trying all: O(n^2) lines.
size_t FewestKeys(const RotationCurve& curve, const FrameTimes& times,
                  const std::vector<AnimKey>& all, float bound) {
  const size_t count = all.size();
  std::vector<size_t> fewest(count, count);
  fewest[0] = 1;
  for (size_t b = 1; b < count; ++b) {
    for (size_t a = 0; a < b; ++a) {
      RotationCurve part;
      FrameTimes part_times;
      part_times.duration = times.duration;
      const size_t end = b + 1 == count ? b + 1 : b;
      for (size_t k = 0; k < 4; ++k) {
        part.q[k].assign(curve.q[k].begin() + static_cast<int64_t>(a),
                         curve.q[k].begin() + static_cast<int64_t>(end));
      }
      part_times.frame.assign(times.frame.begin() + static_cast<int64_t>(a),
                              times.frame.begin() + static_cast<int64_t>(end));
      const bool fits =
          b == a + 1 ||
          MeasureRotation(part, part_times, {all[a], all[b]}) <= bound;
      if (fits) fewest[b] = std::min(fewest[b], fewest[a] + 1);
    }
  }
  return fewest.back();
}

// Keys beside the curve are fewer still.
TEST(CurveFit, KeysAreFewerThanOnTheCurve) {
  size_t all_keys = 0;
  size_t all_fewest = 0;
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    const RotationCurve curve = Sample(c.motion, 61, 1);
    const FrameTimes times = MakeFrameTimes(61, 1);
    FitWorkspace workspace;
    const std::vector<AnimKey> all =
        FitRotation(curve, times, 0, &workspace).keys;
    if (all.size() == 1) continue;
    const float bound = 0.1F * kDegree;
    const size_t fewest = FewestKeys(curve, times, all, bound);
    const size_t keys =
        FitRotation(curve, times, bound, &workspace).keys.size();
    EXPECT_LE(keys, fewest + 1) << fewest;
    all_keys += keys;
    all_fewest += fewest;
  }
  EXPECT_LE(all_keys, all_fewest * 9 / 10);
}

TEST(CurveFit, Positions) {
  struct {
    std::string_view name;
    std::function<float(float)> x;
    size_t keys;
  } const kCases[] = {
      {"still", [](float) { return 1.0F; }, 1},
      {"even", [](float t) { return t - 0.5F; }, 2},
      {"bend", [](float t) { return std::fabs(t - 1); }, 3},
      {"wave", [](float t) { return std::sin(3 * t); }, 70},
      {"far", [](float t) { return 4.9F * std::sin(30 * t); }, 241},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const FrameTimes times = MakeFrameTimes(241, 2);
    PositionCurve curve;
    for (FloatArray& array : curve.p) array.assign(241, 0.25F);
    for (size_t i = 0; i < 241; ++i) curve.p[0][i] = c.x(times.frame[i]);
    FitWorkspace workspace;
    const FitResult fit = FitPosition(curve, times, 0.001F, &workspace);
    EXPECT_LE(fit.error, 0.00101F);
    EXPECT_NEAR(MeasurePosition(curve, times, fit.keys), fit.error, 1e-6F);
    EXPECT_LE(fit.keys.size(), c.keys);
  }
}

TEST(CurveFit, FewFrames) {
  for (const int64_t count : {1, 2, 3}) {
    const RotationCurve curve = Sample(Cases()[3].motion, count, 0.1);
    const FrameTimes times = MakeFrameTimes(count, 0.1F);
    FitWorkspace workspace;
    const FitResult fit = FitRotation(curve, times, 0.1F * kDegree, &workspace);
    EXPECT_EQ(fit.keys.size(), std::min<size_t>(count, 2));
    EXPECT_EQ(fit.keys.front().time, 0);
    EXPECT_EQ(fit.keys.back().time, count == 1 ? 0 : 65535);
  }
}

}  // namespace
}  // namespace bvhmill::testing
