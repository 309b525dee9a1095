// The issues of the floor rules, at different rates of frames.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/validate/skeleton_facts.h"
#include "tests/support/clips.h"
#include "tests/validate/floor/floor_clips.h"
#include "tests/validate/floor/floor_twin.h"
#include "tests/validate/motion_clips.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

std::vector<std::string> FloorCodesOf(const Report& report) {
  std::vector<std::string> codes;
  for (const Issue& issue : report.issues) codes.push_back(issue.code);
  return codes;
}

struct FloorCase {
  const char* name;
  // From the feet to the head.
  Offset up;
  Offset hips;
  std::vector<std::string> issues;
  int64_t frames = 40;
  UpAxis axis = UpAxis::kUnknown;
  // The way of the hips along X in a frame.
  float step = 0;
  // The rest pose hints at Z.
  bool seems_z_up = false;
};

std::vector<std::string> IssuesOfFloor(const FloorCase& c, bool is_below) {
  Clip clip = FigureClip(c.up, c.frames, 30, [&](int64_t frame) {
    const float way = c.step * static_cast<float>(frame);
    return Offset{c.hips[0] + way, c.hips[1], c.hips[2]};
  });
  if (is_below) clip = BelowContainer(clip);
  return FloorCodesOf(FloorReportOf(clip, {c.axis, 0}, c.seems_z_up));
}

TEST(FloorRules, SpeakWhereTheyShould) {
  const std::string up_axis = "DATA_UP_AXIS_GUESS";
  const std::string offset = "DATA_FLOOR_OFFSET";
  const FloorCase kCases[] = {
      {"stands along Y", {0, 1, 0}, {0, 50, 0}, {}},
      {"stands along Z", {0, 0, 1}, {0, 0, 50}, {up_axis}},
      {"stands along -Y", {0, -1, 0}, {0, -50, 0}, {up_axis}},
      {"stands along -Y, which is known",
       {0, -1, 0},
       {0, -50, 0},
       {},
       40,
       UpAxis::kY},
      // No axis has seven tenths of it.
      {"leans between the axes", {0.6F, 0.55F, 0.58F}, {0, 27.5F, 0}, {}},
      // Two reaches above 0 along Y, and on 0 along Z.
      {"leans, high along Y", {0.6F, 0.55F, 0.58F}, {0, 127.5F, 29}, {offset}},
      {"leans, Z is known",
       {0.6F, 0.55F, 0.58F},
       {0, 127.5F, 29},
       {},
       40,
       UpAxis::kZ},
      {"leans, the rest pose hints at Z",
       {0.6F, 0.55F, 0.58F},
       {0, 127.5F, 29},
       {},
       40,
       UpAxis::kUnknown,
       0,
       true},
      {"stands along Y, the rest pose hints at Z",
       {0, 1, 0},
       {0, 50, 20},
       {},
       40,
       UpAxis::kUnknown,
       0,
       true},
      {"a fifth of the reach above 0", {0, 1, 0}, {0, 60, 0}, {offset}},
      {"eight frames", {0, 1, 0}, {0, 60, 0}, {offset}, 8},
      {"seven frames", {0, 1, 0}, {0, 60, 0}, {}, 7},
      {"four reaches above 0, and stands", {0, 1, 0}, {0, 250, 0}, {offset}},
      {"four reaches above 0, and moves",
       {0, 1, 0},
       {0, 250, 0},
       {"DATA_ROOT_SCALE"},
       40,
       UpAxis::kUnknown,
       0.001F},
  };
  for (const FloorCase& c : kCases) {
    for (const bool is_below : {false, true}) {
      EXPECT_THAT(IssuesOfFloor(c, is_below),
                  UnorderedElementsAreArray(c.issues))
          << c.name << (is_below ? " below a container" : "");
    }
  }
}

// A figure that stands on 0 along Y, and sinks by `depth` reaches in some
// frames.
Clip Sinking(int64_t frames, double frames_per_second,
             const std::function<float(int64_t)>& depth) {
  return FigureClip({0, 1, 0}, frames, frames_per_second, [&](int64_t frame) {
    return Offset{0, kReach * (1 - depth(frame)), 0};
  });
}

// A figure that stands on 0 along Y, and glides along X.
Clip Gliding(int64_t frames, double frames_per_second,
             double reaches_a_second) {
  return FigureClip({0, 1, 0}, frames, frames_per_second, [&](int64_t frame) {
    const double seconds = static_cast<double>(frame) / frames_per_second;
    return Offset{static_cast<float>(seconds * reaches_a_second * kReach),
                  kReach, 0};
  });
}

constexpr double kRates[] = {10, 24, 30, 50, 60, 90, 100, 120, 150, 240};

// At 120 frames a second, three of four frames are not judged.
TEST(FloorRules, DoNotSeeFramesThatAreNotJudged) {
  const auto sinks = [](int64_t frame) {
    return frame % 4 != 0 && frame > 200 && frame < 220 ? 0.2F : 0.0F;
  };
  EXPECT_THAT(FloorCodesOf(FloorReportOf(Sinking(400, 30, sinks))),
              ElementsAre("DATA_BELOW_FLOOR"));
  EXPECT_THAT(FloorCodesOf(FloorReportOf(Sinking(400, 120, sinks))), IsEmpty());
}

// Frames below the floor, at a rate, and those that the issue states; 0: there
// is no issue. At least three must be below it.
TEST(FloorRules, CountFramesOfTheClipBelowTheFloor) {
  const struct {
    double rate;
    int64_t first;
    int64_t last;
    int stated;
  } kCases[] = {
      {30, 200, 201, 0},
      {30, 200, 202, 3},
      // One judged frame may be all.
      {60, 200, 201, 0},
      {60, 200, 202, 4},
      {60, 200, 207, 8},
      {120, 200, 200, 0},
      {120, 197, 203, 0},
      {120, 200, 204, 8},
      {120, 197, 208, 12},
  };
  for (const auto& [rate, first, last, stated] : kCases) {
    const Report report = FloorReportOf(
        Sinking(600, rate, [first = first, last = last](int64_t frame) {
          return frame >= first && frame <= last ? 0.2F : 0.0F;
        }));
    SCOPED_TRACE(std::to_string(rate) + " frames a second, " +
                 std::to_string(first) + " to " + std::to_string(last));
    EXPECT_EQ(report.issues.size(), stated == 0 ? 0U : 1U);
    EXPECT_EQ(ArgOf(report, "DATA_BELOW_FLOOR", "frames"),
              stated == 0 ? "" : std::to_string(stated));
  }
}

TEST(FloorRules, NameAFrameNearTheLowestOne) {
  constexpr int64_t kLowest = 222;
  for (const double rate : kRates) {
    SCOPED_TRACE(rate);
    const Report report = FloorReportOf(Sinking(900, rate, [](int64_t frame) {
      const auto away = static_cast<float>(std::abs(frame - kLowest));
      return std::max(0.2F - 0.01F * away, 0.0F);
    }));
    ASSERT_THAT(FloorCodesOf(report), ElementsAre("DATA_BELOW_FLOOR"));
    const int64_t named = report.issues[0].location.frame.value_or(-1);
    const int64_t step = LandmarkStep(1 / rate);
    EXPECT_EQ(named % step, 0);
    EXPECT_LE(2 * std::abs(named - kLowest), step);
  }
}

// The limit is 0.25 reaches a second. No speed is judged at a slow rate.
TEST(FloorRules, MeasureSpeedsInSeconds) {
  for (const double rate : kRates) {
    SCOPED_TRACE(rate);
    EXPECT_THAT(FloorCodesOf(FloorReportOf(Gliding(600, rate, 0.22))),
                IsEmpty());
    const Report fast = FloorReportOf(Gliding(600, rate, 0.28));
    EXPECT_THAT(FloorCodesOf(fast), ElementsAre("DATA_FOOT_SKATE"));
    EXPECT_EQ(ArgOf(fast, "DATA_FOOT_SKATE", "median").substr(0, 4), "0.28");
  }
  EXPECT_THAT(FloorCodesOf(FloorReportOf(Gliding(600, 4, 1))), IsEmpty());
}

// Feet that rise and sink faster than 0.15 reaches a second do not touch the
// floor. Here they are on it twice a second.
TEST(FloorRules, MeasureVerticalSpeedsInSeconds) {
  const auto bobbing = [](double rate, double speed) {
    const Clip clip = FigureClip({0, 1, 0}, 600, rate, [=](int64_t frame) {
      const double seconds = static_cast<double>(frame) / rate;
      const double turns = seconds * 2;
      const double away = std::fabs(turns - std::round(turns)) / 2;
      return Offset{static_cast<float>(seconds * 0.4 * kReach),
                    static_cast<float>((1 + speed * away) * kReach), 0};
    });
    return FloorCodesOf(FloorReportOf(clip));
  };
  for (const double rate : {30.0, 60.0, 120.0, 240.0}) {
    SCOPED_TRACE(rate);
    EXPECT_THAT(bobbing(rate, 0.13), ElementsAre("DATA_FOOT_SKATE"));
    EXPECT_THAT(bobbing(rate, 0.18), IsEmpty());
  }
}

TEST(FloorRules, MeasureTheTimeOfADriftInSeconds) {
  for (const double rate : kRates) {
    SCOPED_TRACE(rate);
    const auto rising = [&](double seconds) {
      const auto frames = static_cast<int64_t>(std::ceil(seconds * rate));
      return FloorCodesOf(
          FloorReportOf(Sinking(frames, rate, [=](int64_t frame) {
            return -0.1F * static_cast<float>(frame) /
                   static_cast<float>(frames);
          })));
    };
    EXPECT_THAT(rising(2.8), IsEmpty());
    EXPECT_THAT(rising(3.2), ElementsAre("DATA_FLOOR_DRIFT"));
  }
}

constexpr struct {
  double share;
  bool is_scaled;
} kRootWays[] = {{0.01, true}, {0.0254, true}, {0.19, true}, {0.21, false},
                 {1, false},   {3, false},     {0, false},   {-0.01, false}};

std::vector<std::string> ScaleCodesOf(const Clip& clip) {
  std::vector<std::string> codes = FloorCodesOf(FloorReportOf(clip));
  std::erase_if(codes,
                [](const auto& code) { return code != "DATA_ROOT_SCALE"; });
  return codes;
}

// The figure leans back and forth, so its hips come nearer to its feet.
TEST(FloorRules, KnowARootThatRisesByAShareOfWhatItsLegsAskFor) {
  for (const auto& [share, is_scaled] : kRootWays) {
    SCOPED_TRACE(share);
    Clip clip = FigureClip({0, 1, 0}, 90, 30, [](int64_t) { return Offset{}; });
    for (int64_t frame = 0; frame < 90; ++frame) {
      const double lean = 0.5 * std::sin(static_cast<double>(frame) / 7);
      ValueAt(&clip, frame, 0, 1) =
          static_cast<float>(kReach * (1 + share * (std::cos(lean) - 1)));
      // Channels are XYZzxy.
      ValueAt(&clip, frame, 0, 4) =
          static_cast<float>(lean * 180 / std::numbers::pi);
    }
    EXPECT_EQ(ScaleCodesOf(clip).size(), is_scaled ? 1U : 0U);
  }
}

// A walk of five seconds. Every second each foot is on the floor for `stance`
// of 30 frames, and swings the others. In reaches a second, the hips go at
// `root`, and feet on the floor at `foot`, both in the world.
Clip WalkingClip(double root, double foot, int64_t stance) {
  constexpr int64_t kFrames = 150;
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  builder.Joint(hips, "LeftFoot", "XYZzxy", {0, -kReach, 0});
  builder.Joint(hips, "RightFoot", "XYZzxy", {0, -kReach, 0});
  builder.Joint(hips, "Head", "zxy", {0, kReach, 0});
  Clip clip = CountingClip(builder.Build(), kFrames);
  clip.motion.frame_time = 1.0 / 30;
  std::fill(clip.motion.values.begin(), clip.motion.values.end(), 0.0F);
  for (int64_t frame = 0; frame < kFrames; ++frame) {
    const double seconds = static_cast<double>(frame) / 30;
    ValueAt(&clip, frame, 0, 0) = static_cast<float>(kReach * root * seconds);
    ValueAt(&clip, frame, 0, 1) = kReach;
    for (const int node : {1, 2}) {
      const int64_t phase = (frame + 15 * node) % 30;
      const bool stands = phase < stance;
      const double way = (foot - root) * static_cast<double>(phase) / 30;
      ValueAt(&clip, frame, node, 0) = static_cast<float>(kReach * way);
      ValueAt(&clip, frame, node, 1) = -kReach + (stands ? 0 : kReach / 5);
    }
  }
  return clip;
}

// Feet go back below the hips by a reach a second.
TEST(FloorRules, KnowARootThatGoesAShareOfTheWayOfItsFeet) {
  for (const auto& [share, is_scaled] : kRootWays) {
    SCOPED_TRACE(share);
    const Clip clip = WalkingClip(share, share - 1, 20);
    // A figure that goes back is scaled, too.
    EXPECT_EQ(ScaleCodesOf(clip).size(), is_scaled || share < 0 ? 1U : 0U);
  }
}

// Feet on the floor go with the hips by less than half of their way.
TEST(FloorRules, NeedLessContactOfFeetThatAreFast) {
  const struct {
    int64_t stance;
    double speed;
    bool slides;
  } kCases[] = {{20, 0.2, false},
                {20, 0.3, true},
                {6, 0.3, false},
                {6, 0.4, true},
                {3, 0.9, false}};
  for (const auto& [stance, speed, slides] : kCases) {
    SCOPED_TRACE(std::to_string(stance) + " " + std::to_string(speed));
    const Clip clip = WalkingClip(2, speed, stance);
    EXPECT_EQ(FloorCodesOf(FloorReportOf(clip)).size(), slides ? 1U : 0U);
  }
}

// A clip of eight frames has a height. Its speeds count if eight are judged.
TEST(FloorRules, NeedJudgedFramesForSpeedsOnly) {
  for (const double rate : {30.0, 60.0, 120.0}) {
    SCOPED_TRACE(rate);
    const auto floating = [](int64_t /*frame*/) { return -0.2F; };
    EXPECT_THAT(FloorCodesOf(FloorReportOf(Sinking(7, rate, floating))),
                IsEmpty());
    EXPECT_THAT(FloorCodesOf(FloorReportOf(Sinking(8, rate, floating))),
                ElementsAre("DATA_FLOOR_OFFSET"));
    const int64_t enough = 7 * LandmarkStep(1 / rate) + 1;
    EXPECT_THAT(FloorCodesOf(FloorReportOf(Gliding(enough - 1, rate, 1))),
                IsEmpty());
    EXPECT_THAT(FloorCodesOf(FloorReportOf(Gliding(enough, rate, 1))),
                ElementsAre("DATA_FOOT_SKATE"));
  }
}

}  // namespace
}  // namespace bvhmill::testing
