// Rates in common use, and the frame times that files state for them.

#include <gtest/gtest.h>

#include <limits>

#include "bvhmill/clip/clip_info.h"

namespace bvhmill::testing {
namespace {

// Rates of cameras, capture systems, displays and films.
constexpr double kCommonRates[] = {10,  12,  12.5, 15,  20,  24,  25,  30,
                                   40,  48,  50,   60,  72,  75,  80,  90,
                                   96,  100, 120,  125, 144, 150, 180, 200,
                                   240, 250, 300,  360, 400, 480, 500, 1000};

// Rates of television, which are slower than whole ones.
constexpr double kWholeOfTelevision[] = {24, 30, 48, 60, 120, 240};

TEST(NearestFrameRate, IsACommonRateItself) {
  for (const double rate : kCommonRates) {
    const NearRate near = NearestFrameRate(1 / rate);
    EXPECT_DOUBLE_EQ(near.frames_per_second, rate);
    EXPECT_LT(near.difference, 1e-12) << rate;
  }
  for (const double whole : kWholeOfTelevision) {
    const NearRate near = NearestFrameRate(1.001 / whole);
    EXPECT_DOUBLE_EQ(near.frames_per_second, whole / 1.001);
    EXPECT_LT(near.difference, 1e-12) << whole;
  }
}

struct WrittenTime {
  double frame_time;
  double frames_per_second;
};

TEST(NearestFrameRate, IsTheOneThatAFrameTimeWasRoundedFrom) {
  constexpr WrittenTime kTimes[] = {
      {0.0333333, 30},       {0.033333, 30},         {0.0333, 30},
      {0.033, 30},           {0.033367, 30 / 1.001}, {0.0333667, 30 / 1.001},
      {0.0417, 24},          {0.041667, 24},         {0.041708, 24 / 1.001},
      {0.0083333, 120},      {0.00833333, 120},      {0.0083, 120},
      {0.008333, 120},       {0.016667, 60},         {0.0167, 60},
      {0.01668, 60 / 1.001},
  };
  for (const WrittenTime& time : kTimes) {
    const NearRate near = NearestFrameRate(time.frame_time);
    EXPECT_DOUBLE_EQ(near.frames_per_second, time.frames_per_second)
        << time.frame_time;
    EXPECT_LT(near.difference, 0.011) << time.frame_time;
  }
}

TEST(StatedFrameRate, IsTheRateThatARoundedFrameTimeStandsFor) {
  constexpr WrittenTime kTimes[] = {
      {0.0333333, 30},
      {0.0333, 30},
      {0.033, 30},
      {0.0167, 60},
      {0.017, 1 / 0.017},
      {0.03, 1 / 0.03},
      {0.0083, 120},
      {0.0334, 30 / 1.001},
      {0.033367, 30 / 1.001},
      {0.04, 25},
      {0.0078, 1 / 0.0078},
      {0.25, 4},
      {1e-5, 100000},
      {0.0416667, 24},
      {0.0417, 24},
      // As float; cut; near a rate, but the rounded time of none.
      {0.03333333507180214, 30},
      {0.016666, 60},
      {0.004184, 1 / 0.004184},
      {0.0416, 1 / 0.0416},
  };
  for (const WrittenTime& time : kTimes) {
    EXPECT_DOUBLE_EQ(StatedFrameRate(time.frame_time), time.frames_per_second)
        << time.frame_time;
  }
}

TEST(WrittenFrameRate, IsTheRateThatARoundedRateStandsFor) {
  constexpr double kRates[][2] = {
      {30, 30},
      {29.97, 30 / 1.001},
      {29.970029, 30 / 1.001},
      {24, 24},
      {23.976, 24 / 1.001},
      {23.98, 24 / 1.001},
      {59.94, 60 / 1.001},
      {119.88, 120 / 1.001},
      {120.00048, 120},
      {12.5, 12.5},
      {29.5, 29.5},
      {59, 59},
      {29, 29},
      {35, 35},
      {1e6, 1e6},
      {0.5, 0.5},
      {1e300, 1e300},
  };
  for (const auto& [written, rate] : kRates) {
    EXPECT_DOUBLE_EQ(WrittenFrameRate(written), rate) << written;
  }
}

TEST(NearestFrameRate, SaysHowFarAFrameTimeIs) {
  const NearRate near = NearestFrameRate(1 / 130.0);
  EXPECT_DOUBLE_EQ(near.frames_per_second, 125);
  EXPECT_NEAR(near.difference, 1 - 125.0 / 130, 1e-12);
}

TEST(MotionFrameTime, IsThatOfTheFileOrAThirtiethOfASecond) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(MotionFrameTime(0.01), 0.01);
  EXPECT_EQ(MotionFrameTime(0.1999), 0.1999);
  EXPECT_EQ(MotionFrameTime(0.001), 0.001);
  for (const double odd : {0.0, -0.01, 0.2, 1.0, 0.00003, kNan}) {
    EXPECT_DOUBLE_EQ(MotionFrameTime(odd), 1.0 / 30) << odd;
  }
}

TEST(IsBeyondRates, IsAStatedFrameTimeThatNoCaptureHas) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double odd : {0.2, 1.0, 0.00098, 1e-9}) {
    EXPECT_TRUE(IsBeyondRates(odd)) << odd;
  }
  for (const double other : {0.1999, 0.01, 0.00099, 0.0, -1.0, kNan}) {
    EXPECT_FALSE(IsBeyondRates(other)) << other;
  }
}

}  // namespace
}  // namespace bvhmill::testing
