// Each motion rule on a clip with one fault at a known place, and on its
// neighbours without a fault.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "tests/validate/motion_clips.h"
#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MotionRulesTest : public ::testing::TestWithParam<FaultCase> {};

INSTANTIATE_TEST_SUITE_P(MotionRules, MotionRulesTest,
                         ::testing::ValuesIn(FaultCases()),
                         [](const auto& info) { return info.param.name; });

TEST_P(MotionRulesTest, FindsTheFaultAndNothingElse) {
  Clip clip = MovingClip(GetParam().shape);
  GetParam().inject(&clip);
  const Report report = MotionReport(clip);
  EXPECT_THAT(MotionIssues(report), ElementsAreArray(GetParam().issues));
  for (const auto& [name, value] : GetParam().args) {
    EXPECT_EQ(ArgOf(report, report.issues.at(0).code, name), value) << name;
  }
}

// A range of one block may end at any frame of a fault.
TEST_P(MotionRulesTest, ShortRangesChangeNothing) {
  Clip clip = MovingClip(GetParam().shape);
  GetParam().inject(&clip);
  const Report whole = MotionReport(clip);
  const Report report = MotionReport(clip, {}, /*range_blocks=*/1);
  EXPECT_EQ(MotionIssues(report), MotionIssues(whole));
  for (size_t i = 0; i < whole.issues.size(); ++i) {
    EXPECT_EQ(report.issues.at(i).args, whole.issues[i].args);
  }
}

struct FrameTimeCase {
  double frame_time;
  int64_t frames;
  std::vector<std::string> issues;
  std::string near;
};

TEST(FrameTime, OddOnesAreReported) {
  const FrameTimeCase cases[] = {
      {1, 50, {"warning DATA_FRAME_TIME_ODD"}, "10"},
      {0.2, 50, {"warning DATA_FRAME_TIME_ODD"}, "10"},
      {0.0005, 50, {"warning DATA_FRAME_TIME_ODD"}, "1000"},
      {0.001, 50, {"hint DATA_FRAME_TIME_ODD"}, "1000"},
      {0.002, 50, {"hint DATA_FRAME_TIME_ODD"}, "500"},
      {0.029167, 50, {"hint DATA_FRAME_TIME_ODD"}, "30"},
      {0.017, 50, {"hint DATA_FRAME_TIME_ODD"}, "60"},
      {0.012, 50, {"hint DATA_FRAME_TIME_ODD"}, "80"},
      {0.042333, 50, {"hint DATA_FRAME_TIME_ODD"}, "23.976"},
      {0.0167, 50, {}, ""},
      {0.0417, 50, {}, ""},
      // Rounding adds up.
      {0.0167, 501, {"hint DATA_FRAME_TIME_ODD"}, "60"},
      {0.0333, 50, {}, ""},
      {0.0333, 1001, {"hint DATA_FRAME_TIME_ODD"}, "30"},
      {0.033, 50, {}, ""},
      {0.0083, 50, {}, ""},
      {0.033333, 1000, {}, ""},
      {0.0333667, 1000, {}, ""},
      {0.0416667, 50, {}, ""},
      {0.00833333, 50, {}, ""},
      // Fewer than eight frames are poses, which may stand.
      {1, 2, {"hint DATA_FRAME_TIME_ODD"}, "10"},
      {1, 7, {"hint DATA_FRAME_TIME_ODD"}, "10"},
      {1, 8, {"warning DATA_FRAME_TIME_ODD"}, "10"},
      // A pose has no rate.
      {1, 1, {}, ""},
      // The reader reports these.
      {0, 50, {}, ""},
      {-0.01, 50, {}, ""},
  };
  for (const FrameTimeCase& c : cases) {
    // Nothing else is odd about it.
    Clip clip = MovingClip({.frames = c.frames, .frames_per_second = 100});
    clip.motion.frame_time = c.frame_time;
    ReportOptions options;
    options.only = {"DATA_FRAME_TIME_ODD"};
    const Report report = MotionReport(clip, options);
    EXPECT_EQ(MotionIssues(report), c.issues) << c.frame_time;
    EXPECT_EQ(ArgOf(report, "DATA_FRAME_TIME_ODD", "near"), c.near)
        << c.frame_time;
  }
}

TEST(MotionRules, ThresholdsCanBeChosen) {
  Clip clip = MovingClip({});
  AddTo(3, 1, 40, 350, 350, &clip);
  ReportOptions options;
  options.thresholds = {{"DATA_SPIKE", "degrees", 50},
                        {"DATA_SPIKE", "calm_degrees", 50},
                        {"DATA_SPIKE", "local_degrees", 50}};
  EXPECT_THAT(MotionIssues(MotionReport(clip, options)), IsEmpty());
  options.thresholds = {{"DATA_SPIKE", "degrees", 30}};
  EXPECT_EQ(MotionIssues(MotionReport(clip, options)).size(), 1);
}

// A joint that stands still is compared as if it moved a little.
struct StillJointCase {
  std::vector<ThresholdChoice> thresholds;
  float degrees;
  int64_t first;
  int64_t last;
  std::vector<std::string> issues;
};

TEST(MotionRules, AJointThatStandsStillIsTakenToMoveALittle) {
  const std::vector<ThresholdChoice> spike = {
      {"DATA_SPIKE", "calm_degrees", 1}};
  const std::vector<ThresholdChoice> jump = {{"DATA_JUMP", "degrees", 1},
                                             {"DATA_JUMP", "calm_degrees", 1}};
  const StillJointCase cases[] = {
      // Ten times a kink of 0.3 degrees.
      {spike, 2.8F, 150, 150, {}},
      {spike, 3.2F, 150, 150, {"warning DATA_SPIKE joint 3 frame 150"}},
      // 15 times a step of 0.2 degrees.
      {jump, 2.8F, 150, 299, {}},
      {jump, 3.2F, 150, 299, {"warning DATA_JUMP joint 3 frame 150"}},
      {jump, 2.8F, 0, 0, {}},
      {jump, 3.2F, 0, 0, {"hint DATA_FIRST_FRAME_APART joint 3 frame 0"}},
      {jump, 2.8F, 299, 299, {}},
      {jump, 3.2F, 299, 299, {"hint DATA_LAST_FRAME_APART joint 3 frame 299"}},
  };
  for (const StillJointCase& c : cases) {
    Clip clip = MovingClip({.frames = 300, .frames_per_second = 30});
    for (int64_t t = 0; t < 300; ++t) {
      for (const int k : {0, 1, 2}) ValueAt(&clip, t, 3, k) = 0;
    }
    AddTo(3, 0, c.degrees, c.first, c.last, &clip);
    ReportOptions options;
    options.thresholds = c.thresholds;
    options.ignore = {"DATA_FROZEN_JOINT"};
    EXPECT_EQ(MotionIssues(MotionReport(clip, options)), c.issues)
        << c.degrees << " in frames " << c.first << " to " << c.last;
  }
}

// The reach is 10. Steps and kinks count by their rate, too.
TEST(MotionRules, ARootThatStandsStillJumpsByAFastStep) {
  const struct {
    float amount;
    int64_t last;
    std::vector<std::string> issues;
  } kCases[] = {
      // 2 * 0.15 reaches by 100 frames in the square of a second.
      {1.4F, 150, {}},
      {1.6F, 150, {"warning DATA_SPIKE joint 0 frame 150"}},
      {2.9F, 299, {}},
      {3.1F, 299, {"warning DATA_JUMP joint 0 frame 150"}},
  };
  for (const auto& c : kCases) {
    Clip clip = MovingClip({.frames = 300, .frames_per_second = 10});
    for (int64_t t = 0; t < 300; ++t) {
      for (const int k : {0, 1, 2}) ValueAt(&clip, t, 0, k) = 0;
    }
    AddTo(0, 0, c.amount, 150, c.last, &clip);
    ReportOptions options;
    options.only = {"DATA_SPIKE", "DATA_JUMP"};
    EXPECT_EQ(MotionIssues(MotionReport(clip, options)), c.issues)
        << c.amount << " until frame " << c.last;
  }
}

// A slower rate does not show it.
TEST(MotionRules, JitterNeedsTwentyFourFramesASecond) {
  for (const double rate : {20.0, 24.0}) {
    Clip clip = MovingClip({.frames = 300, .frames_per_second = rate});
    for (int64_t t = 0; t < 300; ++t) {
      for (const int k : {0, 1, 2}) ValueAt(&clip, t, 2, k) = 0;
      ValueAt(&clip, t, 2, 0) = t % 2 == 0 ? 1 : -1;
    }
    ReportOptions options;
    options.only = {"DATA_JITTER"};
    EXPECT_EQ(MotionReport(clip, options).issues.size(), rate < 24 ? 0 : 1)
        << rate;
  }
}

// A joint that swings to and fro by `step` degrees a frame, in `frames` frames.
Clip ClipWithTremor(const MotionShape& shape, float step, int64_t first,
                    int64_t frames) {
  Clip clip = MovingClip(shape);
  for (int64_t t = 0; t < shape.frames; ++t) {
    for (const int k : {0, 1, 2}) ValueAt(&clip, t, 2, k) = 0;
    ValueAt(&clip, t, 2, 0) = step * static_cast<float>(t) / 8;
    const int64_t i = std::clamp<int64_t>(t - first, 0, 12 * frames);
    const int64_t phase = i % (2 * frames);
    ValueAt(&clip, t, 2, 0) +=
        step * static_cast<float>(std::min(phase, 2 * frames - phase));
  }
  return clip;
}

// Rows are judged in blocks of 256. A tremor may be longer.
TEST(MotionRules, TremorsInTwoBlocksAreFound) {
  ReportOptions options;
  options.only = {"DATA_JITTER"};
  const auto expected = [](int64_t first, int64_t frames) {
    return "hint DATA_JITTER joint 2 frame " + std::to_string(first + frames) +
           " to " + std::to_string(first + 10 * frames);
  };
  for (int64_t first = 160; first < 280; ++first) {
    const Clip clip = ClipWithTremor({}, 0.4F, first, 6);
    EXPECT_THAT(MotionIssues(MotionReport(clip, options)),
                ElementsAre(expected(first, 6)));
  }
  for (int64_t first = 160; first < 280; ++first) {
    const Clip clip =
        ClipWithTremor({.frames_per_second = 250}, 0.16F, first, 15);
    EXPECT_THAT(MotionIssues(MotionReport(clip, options)),
                ElementsAre(expected(first, 15)));
  }
  // The blocks of a wide clip have 64 frames.
  for (const int64_t first : {100, 120, 300}) {
    const Clip clip = ClipWithTremor({.frames_per_second = 250, .joints = 600},
                                     0.16F, first, 15);
    EXPECT_THAT(MotionIssues(MotionReport(clip, options)),
                ElementsAre(expected(first, 15)));
  }
}

// All joints of a clip that plays too fast may seem to tremble.
TEST(MotionRules, NoTremorIsFoundWhereTheFrameTimeIsTooShort) {
  ReportOptions options;
  options.only = {"DATA_JITTER"};
  for (const double rate : {400.0, 490.0}) {
    const Clip clip =
        ClipWithTremor({.frames_per_second = rate}, 0.12F, 100, 20);
    EXPECT_EQ(MotionReport(clip, options).issues.size(), rate < 480 ? 1 : 0)
        << rate;
  }
}

TEST(MotionRules, AClipThatIsNotFiniteIsNotJudged) {
  Clip clip = MovingClip({});
  AddTo(3, 1, 40, 350, 350, &clip);
  ValueAt(&clip, 20, 1, 0) = NAN;
  ValueAt(&clip, 500, 1, 0) = INFINITY;
  EXPECT_THAT(MotionIssues(MotionReport(clip)), IsEmpty());
}

// Rows are judged in blocks of 256.
TEST(MotionRules, EventsAtTheEndOfABlockAreFound) {
  const Clip clip = MovingClip({});
  for (int64_t t = 240; t < 262; ++t) {
    SCOPED_TRACE(t);
    const std::string at = std::to_string(t);
    Clip spike = clip;
    AddTo(3, 0, 40, t, t, &spike);
    EXPECT_THAT(MotionIssues(MotionReport(spike)),
                ElementsAre("warning DATA_SPIKE joint 3 frame " + at));
    Clip jump = clip;
    AddTo(3, 0, 60, t, 599, &jump);
    EXPECT_THAT(MotionIssues(MotionReport(jump)),
                ElementsAre("warning DATA_JUMP joint 3 frame " + at));
    // A whole turn in 0.2 s.
    Clip turn = clip;
    for (int64_t k = 0; k < 24; ++k) AddTo(3, 0, 15, t + k, 599, &turn);
    const auto turns = MotionIssues(MotionReport(turn, OnlyCode("DATA_SPIN")));
    ASSERT_EQ(turns.size(), 1);
    EXPECT_THAT(turns[0], HasSubstr("joint 3 frame " + at + " to"));
  }
}

// A clip of more values than a long block takes.
TEST(MotionRules, WideClipsAreJudgedInShortBlocks) {
  Clip clip = MovingClip({.frames = 200, .joints = 1000});
  EXPECT_THAT(MotionIssues(MotionReport(clip)), IsEmpty());
  AddTo(700, 1, 40, 150, 150, &clip);
  AddTo(3, 0, 60, 60, 65, &clip);
  const std::vector<std::string> expected = {
      "warning DATA_SPIKE joint 3 frame 60 to 65",
      "warning DATA_SPIKE joint 700 frame 150"};
  EXPECT_EQ(MotionIssues(MotionReport(clip)), expected);
  EXPECT_EQ(MotionIssues(MotionReport(clip, {}, 1)), expected);
}

// Steps of two feet at 30 frames a second: toes turn there and back in two
// frames, by `left` and `right` degrees.
Clip ClipOfSteps(float left, float right) {
  Clip clip = MovingClip({.frames = 240, .frames_per_second = 30});
  clip.skeleton.nodes[4].name = "LeftToeBase";
  clip.skeleton.nodes[9].name = "RightToeBase";
  for (const int32_t node : {4, 9}) StandStill(node, &clip);
  for (int64_t t = 20; t < 220; t += 20) {
    AddTo(4, 1, left, t, t, &clip);
    AddTo(9, 1, right, t + 10, t + 10, &clip);
  }
  return clip;
}

TEST(Spikes, OfToesThatPushOffAreTheGait) {
  EXPECT_THAT(
      MotionIssues(MotionReport(ClipOfSteps(20, 16), OnlyCode("DATA_SPIKE"))),
      IsEmpty());
  // A spike was put into every step of one foot.
  EXPECT_THAT(
      MotionIssues(MotionReport(ClipOfSteps(45, 16), OnlyCode("DATA_SPIKE"))),
      ElementsAre("warning DATA_SPIKE joint 4 frame 20 x10"));
  // Other joints have no gait.
  Clip clip = ClipOfSteps(20, 16);
  clip.skeleton.nodes[4].name = "LeftHand";
  clip.skeleton.nodes[9].name = "RightHand";
  EXPECT_EQ(MotionReport(clip, OnlyCode("DATA_SPIKE")).issues.size(), 2);
}

// Hands that were not captured.
TEST(FrozenJoint, FingersThatNeverMoveAreMentionedOnce) {
  Clip clip = MovingClip({.frames = 200});
  clip.skeleton.nodes[5].name = "LeftHand";
  const char* names[] = {"LeftHandThumb1", "LeftHandIndex1", "l_middle_1",
                         "LeftHandRing1"};
  for (int32_t i = 0; i < 4; ++i) {
    Node& node = clip.skeleton.nodes[static_cast<size_t>(6 + i)];
    node.name = names[i];
    if (i == 0) node.parent = 5;
    StandStill(6 + i, &clip);
  }
  EXPECT_THAT(MotionIssues(MotionReport(clip)),
              ElementsAre("info DATA_FROZEN_JOINT joint 6 frame 0 to 199 x4"));
  EXPECT_EQ(ArgOf(MotionReport(clip), "DATA_FROZEN_JOINT", "joint"),
            "'LeftHandThumb1', like 3 other joints of fingers,");
  // One finger moves: its hand was captured.
  Clip moves = MovingClip({.frames = 200});
  moves.skeleton = clip.skeleton;
  for (int32_t i = 0; i < 3; ++i) StandStill(6 + i, &moves);
  EXPECT_THAT(MotionIssues(MotionReport(moves)), IsEmpty());
}

// The list of frames has the 16 largest. Growing ones take the places of those
// before; shrinking ones get none.
TEST(Cuts, BeyondTheSixteenLargestAreNoJumpsOfAllJoints) {
  for (const float growth : {-1.0F, 0.0F, 1.0F}) {
    SCOPED_TRACE(growth);
    const Clip clip = ClipOfCuts(20, 50, growth);
    const Report report = MotionReport(clip);
    ASSERT_EQ(report.issues.size(), 1);
    const Issue& issue = report.issues[0];
    EXPECT_EQ(issue.code, "DATA_CUT");
    EXPECT_EQ(issue.occurrences, 20);
    EXPECT_EQ(ArgOf(report, "DATA_CUT", "others"), "4");
    EXPECT_TRUE(
        issue.message.ends_with("; the list of frames lacks 4 smaller steps"));
    EXPECT_EQ(MotionIssues(MotionReport(clip, {}, 1)), MotionIssues(report));
  }
  const Report listed = MotionReport(ClipOfCuts(16, 50, -1));
  EXPECT_EQ(ArgOf(listed, "DATA_CUT", "others"), "");
  EXPECT_TRUE(listed.issues.at(0).message.ends_with("in the mean"));
}

}  // namespace
}  // namespace bvhmill::testing
