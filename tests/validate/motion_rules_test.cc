// Each motion rule on a clip with one fault at a known place, and on its
// neighbours without a fault.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/validate/motion_clips.h"
#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAreArray;
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

// However rows arrive, the report is the same.
TEST_P(MotionRulesTest, PiecesChangeNothing) {
  Clip clip = MovingClip(GetParam().shape);
  GetParam().inject(&clip);
  const Report whole = MotionReport(clip);
  for (const int64_t piece : {1, 3, 63, 64, 65, 200}) {
    const Report report = MotionReport(clip, piece);
    EXPECT_EQ(MotionIssues(report), MotionIssues(whole)) << piece;
    for (size_t i = 0; i < whole.issues.size(); ++i) {
      EXPECT_EQ(report.issues.at(i).args, whole.issues[i].args) << piece;
    }
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
      {0.017, 50, {"hint DATA_FRAME_TIME_ODD"}, "59.94"},
      {0.012, 50, {"hint DATA_FRAME_TIME_ODD"}, "80"},
      {0.042333, 50, {"hint DATA_FRAME_TIME_ODD"}, "23.98"},
      // Rounding adds up.
      {0.0333, 50, {}, ""},
      {0.0333, 1001, {"hint DATA_FRAME_TIME_ODD"}, "30"},
      {0.033, 50, {}, ""},
      {0.0083, 50, {}, ""},
      {0.033333, 1000, {}, ""},
      {0.0333667, 1000, {}, ""},
      {0.0416667, 50, {}, ""},
      {0.00833333, 50, {}, ""},
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
    options.only_codes = {"DATA_FRAME_TIME_ODD"};
    const Report report = MotionReport(clip, 0, options);
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
                        {"DATA_SPIKE", "calm_degrees", 50}};
  EXPECT_THAT(MotionIssues(MotionReport(clip, 0, options)), IsEmpty());
  options.thresholds = {{"DATA_SPIKE", "degrees", 30}};
  EXPECT_EQ(MotionIssues(MotionReport(clip, 0, options)).size(), 1);
}

TEST(MotionRules, AClipThatIsNotFiniteIsNotJudged) {
  Clip clip = MovingClip({});
  AddTo(3, 1, 40, 350, 350, &clip);
  ValueAt(&clip, 20, 1, 0) = NAN;
  ValueAt(&clip, 500, 1, 0) = INFINITY;
  EXPECT_THAT(MotionIssues(MotionReport(clip)), IsEmpty());
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
  EXPECT_EQ(MotionIssues(MotionReport(clip, 7)), expected);
}

}  // namespace
}  // namespace bvhmill::testing
