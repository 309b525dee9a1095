// Frames, phases, angles and seconds that issues of motion rules state.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/validate/motion_clips.h"
#include "tests/validate/reference/motion_reference.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Frames first, first + stride and so on are captured. Those between them are
// straight lines, and one pose stands before them.
Clip InterpolatedClip(int64_t first, int64_t stride) {
  Clip captured = MovingClip({});
  Clip clip = captured;
  const auto at = [&](int64_t frame, int32_t node, int32_t channel) {
    return ValueAt(&captured, std::min<int64_t>(frame, 599), node, channel);
  };
  for (int64_t t = 0; t < 600; ++t) {
    const int64_t from =
        t < first ? first : first + (t - first) / stride * stride;
    const int64_t over = t < first ? 0 : t - from;
    const auto share = static_cast<float>(over) / static_cast<float>(stride);
    for (int32_t node = 1; node <= 10; ++node) {
      for (int32_t c = 0; c < 3; ++c) {
        const float begin = at(from, node, c);
        ValueAt(&clip, t, node, c) =
            begin + share * (at(from + stride, node, c) - begin);
      }
    }
  }
  return clip;
}

// The advice to take the frames PHASE::STRIDE keeps the captured ones.
TEST(Interpolated, StatesThePhaseOfTheFramesThatWereCaptured) {
  for (const int64_t stride : {3, 4, 5}) {
    for (int64_t first = 0; first < stride; ++first) {
      const Report report = MotionReport(InterpolatedClip(first, stride),
                                         OnlyCode("DATA_INTERPOLATED"));
      EXPECT_EQ(ArgOf(report, "DATA_INTERPOLATED", "stride"),
                std::to_string(stride));
      EXPECT_EQ(ArgOf(report, "DATA_INTERPOLATED", "phase"),
                std::to_string(first))
          << "every " << stride;
    }
  }
}

// A chord of half a turn is 162.1 degrees.
TEST(Spike, OfOneFrameStatesTheAngleAndNotAChord) {
  for (const int degrees : {20, 90, 120, 180}) {
    Clip clip = MovingClip({});
    for (int64_t t = 0; t < 600; ++t) {
      for (const int c : {0, 1, 2}) ValueAt(&clip, t, 3, c) = 0;
    }
    AddTo(3, 1, static_cast<float>(degrees), 350, 350, &clip);
    EXPECT_EQ(ArgOf(MotionReport(clip, OnlyCode("DATA_SPIKE")), "DATA_SPIKE",
                    "degrees"),
              std::to_string(degrees));
  }
}

// Clips whose frame time is too long for rules about speeds, or missing: issues
// state nothing that was computed with another frame time.

constexpr double kNoRates[] = {0.0, -1.0, NAN, INFINITY};

std::string MessageOf(const Report& report, const std::string& code) {
  for (const Issue& issue : report.issues) {
    if (issue.code == code) return issue.message;
  }
  return "";
}

Clip HeldClip(double frame_time) {
  Clip clip = MovingClip({.frames = 60, .frames_per_second = 30});
  clip.motion.frame_time = frame_time;
  TakeRows([](int64_t t) { return t <= 20 ? t : std::max<int64_t>(20, t - 4); },
           &clip);
  return clip;
}

TEST(SlowRates, AStillLastsAsLongAsTheFrameTimeSays) {
  const Report report =
      MotionReport(HeldClip(1), OnlyCode("DATA_FROZEN_FRAMES"));
  EXPECT_EQ(ArgOf(report, "DATA_FROZEN_FRAMES", "seconds"), "5");
  EXPECT_THAT(MessageOf(report, "DATA_FROZEN_FRAMES"),
              HasSubstr("stands still for 5 frames, 5 s"));
}

TEST(SlowRates, AStillHasNoSecondsWithoutAFrameTime) {
  for (const double frame_time : kNoRates) {
    const Report report =
        MotionReport(HeldClip(frame_time), OnlyCode("DATA_FROZEN_FRAMES"));
    EXPECT_EQ(ArgOf(report, "DATA_FROZEN_FRAMES", "seconds"), "") << frame_time;
    EXPECT_EQ(MessageOf(report, "DATA_FROZEN_FRAMES"),
              "frames 20 to 24 are equal: the middle of the clip stands still "
              "for 5 frames")
        << frame_time;
  }
}

TEST(SlowRates, AJointStandsStillAsLongAsTheFrameTimeSays) {
  Clip clip = MovingClip({.frames = 120, .frames_per_second = 30});
  for (int64_t t = 41; t < 61; ++t) {
    for (int32_t c = 0; c < 3; ++c) {
      ValueAt(&clip, t, 3, c) = ValueAt(&clip, 40, 3, c);
    }
  }
  const std::string code = "DATA_FROZEN_JOINT";
  clip.motion.frame_time = 0.5;
  Report report = MotionReport(clip, OnlyCode(code));
  EXPECT_EQ(ArgOf(report, code, "seconds"), "10.5");
  EXPECT_THAT(MessageOf(report, code),
              HasSubstr("40 to 60, for 10.5 s, while"));
  for (const double frame_time : kNoRates) {
    clip.motion.frame_time = frame_time;
    report = MotionReport(clip, OnlyCode(code));
    EXPECT_EQ(ArgOf(report, code, "seconds"), "") << frame_time;
    EXPECT_THAT(MessageOf(report, code), HasSubstr("40 to 60, while"));
  }
}

// 240 degrees a second look like 3600 at 30 frames a second.
TEST(SlowRates, ATurnOfUnknownSpeedIsNoSpin) {
  Clip clip = MovingClip({.frames = 60, .frames_per_second = 30});
  for (int64_t t = 0; t < 60; ++t) {
    ValueAt(&clip, t, 2, 0) = static_cast<float>(120 * t % 360);
    ValueAt(&clip, t, 2, 1) = ValueAt(&clip, t, 2, 2) = 0;
  }
  EXPECT_EQ(MotionReport(clip, OnlyCode("DATA_SPIN")).issues.size(), 1);
  for (const double frame_time : {0.2, 0.5, 1.0}) {
    clip.motion.frame_time = frame_time;
    EXPECT_THAT(MotionIssues(MotionReport(clip, OnlyCode("DATA_SPIN"))),
                IsEmpty())
        << frame_time;
  }
}

// Reversals from frame to frame are slower than the rule asks for.
TEST(SlowRates, AReversalOfUnknownSpeedIsNoJitter) {
  Clip clip = MovingClip({.frames = 300, .frames_per_second = 30});
  for (int64_t t = 0; t < 300; ++t) {
    ValueAt(&clip, t, 2, 0) = t % 2 == 0 ? 1 : -1;
    ValueAt(&clip, t, 2, 1) = ValueAt(&clip, t, 2, 2) = 0;
  }
  EXPECT_EQ(MotionReport(clip, OnlyCode("DATA_JITTER")).issues.size(), 1);
  clip.motion.frame_time = 0.5;
  EXPECT_THAT(MotionIssues(MotionReport(clip, OnlyCode("DATA_JITTER"))),
              IsEmpty());
}

// The slow twin says the same.
TEST(SlowRates, TheTwinStatesTheSameFigures) {
  for (const double frame_time : {0.0, 0.2, 1.0}) {
    const Clip clip = HeldClip(frame_time);
    for (const Finding& f : ReferenceFindings(clip)) {
      if (f.code != "DATA_FROZEN_FRAMES") continue;
      const std::string seconds =
          ArgOf(MotionReport(clip), "DATA_FROZEN_FRAMES", "seconds");
      EXPECT_EQ(f.numbers.contains("seconds"), !seconds.empty()) << frame_time;
      if (!seconds.empty()) {
        EXPECT_NEAR(f.numbers.at("seconds"), std::stod(seconds), 1e-3);
      }
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
