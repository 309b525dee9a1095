// The viewer's way of reading BVH text, case by case.

#include "bvhmill/anim/viewer/viewer_loader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "bvhmill/anim/viewer/viewer_import.h"

namespace bvhmill::testing {
namespace {

constexpr std::string_view kText =
    "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\n"
    "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "JOINT abdomen\n{\nOFFSET 0 5 0\n"
    "CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 0 5 0\n}\n}\n}\n"
    "MOTION\nFrames: 3\nFrame Time: 0.1\n"
    "0 40 0 0 0 0 0 0 0\n1 41 2 1 2 3 10 20 30\n2 42 3 5 6 7 11 22 33\n";

std::string With(std::string_view from, std::string_view to) {
  std::string text(kText);
  const size_t place = text.find(from);
  EXPECT_NE(place, text.npos) << from;
  return text.replace(place, from.size(), to);
}

TEST(ViewerLoader, Table) {
  struct {
    std::string_view from, to;
    ViewerStatus status;
    int64_t line;
  } constexpr kCases[] = {
      {"HIERARCHY", "some HIERARCHY", ViewerStatus::kOk, 21},
      {"HIERARCHY", "Hierarchy", ViewerStatus::kNoHierarchy, 1},
      {"\n{\nOFFSET 0 5", "\n\r\n\n{\nOFFSET 0 5", ViewerStatus::kOk, 23},
      {"JOINT", " \nJOINT", ViewerStatus::kNoJoint, 6},
      {"ROOT hip", "ROOT mTorso", ViewerStatus::kBadRoot, 2},
      {"ROOT hip", "ROOT", ViewerStatus::kNoName, 2},
      {"abdomen", "", ViewerStatus::kNoName, 6},
      {"hip\n{", "hip {", ViewerStatus::kNoOffset, 3},
      {"OFFSET 0 5", "offset 0 5", ViewerStatus::kNoOffset, 8},
      {"CHANNELS 3", "CHANNEL 3", ViewerStatus::kNoChannels, 9},
      {"Yrotation\nEnd", "Yrot\nEnd", ViewerStatus::kNoRotation, 9},
      {"Yrotation\nEnd", "yrotation\nEnd", ViewerStatus::kNoAxis, 9},
      {"Yrotation\nEnd", "Wrotation\nEnd", ViewerStatus::kNoAxis, 9},
      // The reader skips the three lines after "{" of an end site.
      {"0 5 0\n}\n}", "\nJOINT\n}", ViewerStatus::kOk, 21},
      {"}\n}\n}", "}\n}\n}\n}\n}", ViewerStatus::kOk, 23},
      {"abdomen", "MOTION", ViewerStatus::kNoFrames, 7},
      {"Frames:", " Frames:", ViewerStatus::kNoFrames, 17},
      {"Frames: 3", "Frames:3.9", ViewerStatus::kOk, 21},
      {"Frames: 3", "Frames: 4", ViewerStatus::kEof, 21},
      {"Frames: 3", "Frames: -4", ViewerStatus::kOk, 18},
      {"Frames: 3", "Frames: 99999999999", ViewerStatus::kEof, 21},
      {"Time: 0.1", "Time: x", ViewerStatus::kNoFrameTime, 18},
      {"Frame Time", "Frame  Time", ViewerStatus::kNoFrameTime, 18},
      {"Time: 0.1", "Time:0.1s", ViewerStatus::kOk, 21},
      {"1 41 2", "1\t\t41 2", ViewerStatus::kOk, 21},
      {"1 41 2", "1 41 2 3", ViewerStatus::kOk, 21},
      {"10 20 30", "10 20 30 x", ViewerStatus::kNoPosition, 20},
      {"10 20 30", "10 20", ViewerStatus::kNoPosition, 20},
      {"10 20 30", "10 20 3,0", ViewerStatus::kNoPosition, 20},
      {"10 20 30", "10 nan -INF", ViewerStatus::kOk, 21},
      // Six values are asked for, but only three taken.
      {"CHANNELS 3", "CHANNELS 4", ViewerStatus::kNoPosition, 19},
      {"CHANNELS 3", "CHANNELS -4", ViewerStatus::kNoPosition, 19},
      {"CHANNELS 3", "CHANNELS 1", ViewerStatus::kOk, 21},
      {"CHANNELS 6", "CHANNELS", ViewerStatus::kOk, 21},
      {"CHANNELS 6", "x CHANNELS 3", ViewerStatus::kOk, 21},
  };
  for (const auto& c : kCases) {
    const ViewerText text = LoadViewerText(With(c.from, c.to));
    EXPECT_EQ(ViewerStatusName(text.status), ViewerStatusName(c.status))
        << c.from << " -> " << c.to;
    EXPECT_EQ(text.place.line, c.line) << c.from << " -> " << c.to;
  }
}

TEST(ViewerLoader, ANulEndsTheText) {
  std::string text(kText);
  text[text.find("2 42")] = '\0';
  EXPECT_EQ(LoadViewerText(text).status, ViewerStatus::kEof);
}

TEST(ViewerLoader, EveryPrefixEndsTooEarly) {
  for (size_t size = 0; size < kText.size() - 20; ++size) {
    EXPECT_NE(LoadViewerText(kText.substr(0, size)).status, ViewerStatus::kOk);
  }
}

TEST(ViewerLoader, TakesColumnsByItsOwnRule) {
  const ViewerText text = LoadViewerText(
      With("6 Xposition Yposition Zposition Zrotation Xrotation Yrotation",
           "6 Yrotation Zrotation Zrotation Wposition"));
  ASSERT_EQ(text.status, ViewerStatus::kOk);
  const ViewerTake& take = text.take;
  ASSERT_EQ(take.joints.size(), 2);
  EXPECT_EQ(take.columns, 9);
  EXPECT_EQ(take.frames, 3);
  EXPECT_EQ(take.values.size(), 27);
  EXPECT_EQ(take.joints[0].depth, 1);
  EXPECT_EQ(take.joints[0].position_column, 0);
  // The second angle about Z replaces the first; there is none about X.
  EXPECT_EQ(take.joints[0].axes, (std::array<int32_t, 3>{2, 1, 0}));
  EXPECT_EQ(take.joints[0].angle_columns, (std::array<int32_t, 3>{5, 3, -1}));
  EXPECT_EQ(take.joints[1].depth, 0);
  EXPECT_EQ(take.joints[1].position_column, -1);
  EXPECT_EQ(take.joints[1].axes, (std::array<int32_t, 3>{2, 0, 1}));
  EXPECT_EQ(take.joints[1].angle_columns, (std::array<int32_t, 3>{6, 7, 8}));
}

TEST(ViewerLoader, RefusalsAreIssues) {
  IssueLog log({});
  AnimMotion motion;
  EXPECT_FALSE(ImportTextAsViewer(With("hip", "Hips"), &motion, &log));
  EXPECT_TRUE(motion.joints.empty());
  const Report report = log.Finish(true, false);
  ASSERT_EQ(report.issues.size(), 1);
  EXPECT_EQ(RenderIssue(report.issues[0]),
            "2:1: error: ANIM_IMPORT_REFUSED: the viewer refuses the BVH file: "
            "E_ST_BAD_ROOT, the first joint is not called hip, mPelvis or "
            "avatar_mPelvis");
}

TEST(ViewerNumbers, WholeWords) {
  struct {
    std::string_view word;
    float value;
  } constexpr kGood[] = {
      {"0", 0},
      {"-1.5", -1.5F},
      {"+2", 2},
      {".5", 0.5F},
      {"1.", 1},
      {"1e3", 1000},
      {"1E-3", 0.001F},
      {"1e-50", 0},
      {"1e-400", 0},
      {"-Infinity", -INFINITY},
      {"inf", INFINITY},
      {"3.4028235e38", 3.4028235e38F},
      // Halfway between two floats but for its last digit.
      {"1.00000005960464477540", 1.0000001F},
  };
  for (const auto& c : kGood) {
    float value = 7;
    EXPECT_TRUE(ParseViewerFloat(c.word, &value)) << c.word;
    EXPECT_EQ(value, c.value) << c.word;
  }
  float value = 0;
  EXPECT_TRUE(ParseViewerFloat("NaN", &value));
  EXPECT_TRUE(std::isnan(value));
  for (const std::string_view word :
       {"", "-", "+", ".", "e5", "1e", "1e+", "1,5", "0x10", "1f", "--1",
        "1e39", "1e400", "-1.#IND", "nanx", "infin", "1\f", "1 "}) {
    EXPECT_FALSE(ParseViewerFloat(word, &value)) << word;
  }
}

}  // namespace
}  // namespace bvhmill::testing
