// Each limit just met and just exceeded, and files that ask for far too much.

#include <gmock/gmock.h>

#include <tuple>

#include "bvhmill/bvh/reader.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::Contains;
using ::testing::Pair;

struct Judged {
  ReadResult result;
  Report report;
};

Judged ReadAndJudge(std::string_view text, const Limits& limits = {}) {
  IssueLog log({});
  Judged judged = {ReadBvh(text, {.limits = limits}, &log), {}};
  judged.report =
      log.Finish(judged.result.skeleton_read, judged.result.motion_read);
  return judged;
}

std::string FirstErrorCode(const Report& report) {
  const Issue* error = FirstError(report);
  return error == nullptr ? "" : error->code;
}

// 4 nodes, 2 joints deep, 9 columns, 3 frames; the longest name has 6 bytes.
constexpr std::string_view kText =
    "HIERARCHY\n"
    "ROOT Pelvis\n"
    "{\n"
    "OFFSET 0 0 0\n"
    "CHANNELS 6 Xposition Yposition Zposition\n"
    "Zrotation Xrotation Yrotation\n"
    "JOINT Spine\n"
    "{\n"
    "OFFSET 0 1 0\n"
    "CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "}\n"
    "End Site Top\n"
    "{\n"
    "OFFSET 0 1 0\n"
    "}\n"
    "}\n"
    "ROOT Prop\n"
    "{\n"
    "OFFSET 0 0 0\n"
    "CHANNELS 0\n"
    "}\n"
    "MOTION\n"
    "Frames: 3\n"
    "Frame Time: 0.01\n"
    "1 2 3 4 5 6 7 8 9\n"
    "1.0000000000000000 2.0000000000000000 3 4 5 6 7 8 9\n"
    "1 2 3 4 5 6 7 8 9\n";

size_t LongestLine() {
  size_t longest = 0;
  for (const std::string& line : Split(kText, '\n')) {
    longest = std::max(longest, line.size());
  }
  return longest;
}

struct LimitCase {
  IssueCode code;
  int64_t Limits::*limit;
  int64_t just_enough;
};

std::vector<LimitCase> LimitCases() {
  return {
      {IssueCode::LIMIT_CLIP_BYTES, &Limits::max_clip_bytes,
       static_cast<int64_t>(kText.size())},
      {IssueCode::LIMIT_LINE_BYTES, &Limits::max_line_bytes,
       static_cast<int64_t>(LongestLine())},
      {IssueCode::LIMIT_NAME_BYTES, &Limits::max_name_bytes, 6},
      {IssueCode::LIMIT_JOINTS, &Limits::max_joints, 4},
      {IssueCode::LIMIT_DEPTH, &Limits::max_depth, 2},
      {IssueCode::LIMIT_CHANNELS, &Limits::max_channels, 9},
      {IssueCode::LIMIT_FRAMES, &Limits::max_frames, 3},
  };
}

TEST(Limits, TheLimitItselfIsAllowed) {
  for (const LimitCase& c : LimitCases()) {
    Limits limits;
    limits.*c.limit = c.just_enough;
    const Judged judged = ReadAndJudge(kText, limits);
    EXPECT_EQ(FirstErrorCode(judged.report), "") << EntryOf(c.code).name;
    EXPECT_TRUE(judged.result.motion_read) << EntryOf(c.code).name;
  }
}

TEST(Limits, OneLessIsAnErrorThatNamesTheLimit) {
  for (const LimitCase& c : LimitCases()) {
    Limits limits;
    limits.*c.limit = c.just_enough - 1;
    const Judged judged = ReadAndJudge(kText, limits);
    ASSERT_EQ(FirstErrorCode(judged.report), EntryOf(c.code).name);
    EXPECT_FALSE(judged.result.motion_read) << EntryOf(c.code).name;
    EXPECT_THAT(judged.report.issues[0].args,
                Contains(Pair("limit", std::to_string(c.just_enough - 1))));
    EXPECT_EQ(judged.report.counts.errors, 1) << EntryOf(c.code).name;
  }
}

TEST(Limits, ZeroIsNoLimit) {
  for (const LimitCase& c : LimitCases()) {
    Limits limits;
    limits.*c.limit = 0;
    EXPECT_TRUE(ReadAndJudge(kText, limits).result.motion_read)
        << EntryOf(c.code).name;
  }
}

TEST(Limits, AreReportedWithTheirPlace) {
  const std::tuple<int64_t Limits::*, int64_t, int64_t> kCases[] = {
      {&Limits::max_frames, 2, 27},    {&Limits::max_line_bytes, 50, 26},
      {&Limits::max_name_bytes, 5, 2}, {&Limits::max_depth, 1, 7},
      {&Limits::max_joints, 3, 17},
  };
  for (const auto& [limit, value, line] : kCases) {
    Limits limits;
    limits.*limit = value;
    const Report report = ReadAndJudge(kText, limits).report;
    ASSERT_FALSE(report.issues.empty()) << line;
    EXPECT_EQ(report.issues[0].location.line, line) << report.issues[0].message;
  }
}

std::string Replaced(std::string_view from, std::string_view to) {
  std::string text(kText);
  const size_t place = text.find(from);
  EXPECT_NE(place, text.npos);
  return text.replace(place, from.size(), to);
}

std::string NestedJoints(int joints) {
  std::string text = "HIERARCHY\nROOT a {\n";
  for (int i = 1; i < joints; ++i) text += "JOINT a {\n";
  return text;
}

TEST(HugeClaims, AMillionNestedJointsAreRefused) {
  const std::string text = NestedJoints(1'000'000);
  EXPECT_EQ(FirstErrorCode(ReadAndJudge(text).report), "LIMIT_DEPTH");
  Limits limits;
  limits.max_depth = 0;
  EXPECT_EQ(FirstErrorCode(ReadAndJudge(text, limits).report), "LIMIT_JOINTS");
}

TEST(HugeClaims, NothingRecursesWithoutLimits) {
  constexpr int kJoints = 300'000;
  Limits limits;
  limits.max_depth = 0;
  limits.max_joints = 0;
  std::string text = NestedJoints(kJoints);
  EXPECT_EQ(FirstErrorCode(ReadAndJudge(text, limits).report),
            "HIERARCHY_BRACE_UNCLOSED");
  text += std::string(kJoints, '}') + "\nMOTION\nFrames: 0\nFrame Time: 1\n";
  const Judged judged = ReadAndJudge(text, limits);
  EXPECT_EQ(FirstErrorCode(judged.report), "");
  EXPECT_EQ(judged.result.clip.skeleton.nodes.size(), kJoints);
}

TEST(HugeClaims, FramesTakeNoMemory) {
  for (const std::string frames : {"1000000000000000000", "9223372036854775807",
                                   "4294967296", "2049638230412172402"}) {
    const Judged judged =
        ReadAndJudge(Replaced("Frames: 3", "Frames: " + frames));
    SCOPED_TRACE(frames);
    EXPECT_EQ(FirstErrorCode(judged.report), "");
    EXPECT_EQ(judged.report.verdict, Verdict::kAccepted);
    EXPECT_EQ(judged.result.clip.motion.frames, 3);
    EXPECT_LT(judged.result.clip.motion.values.capacity(), 100'000);
  }
}

TEST(HugeClaims, FramesBeyondInt64AreNoCount) {
  for (const std::string frames :
       {"9223372036854775808", "1e30", "99999999999999999999999"}) {
    const Judged judged =
        ReadAndJudge(Replaced("Frames: 3", "Frames: " + frames));
    EXPECT_LE(judged.result.clip.motion.frames, 3) << frames;
    EXPECT_LT(judged.result.clip.motion.values.capacity(), 100'000);
  }
}

// There are no rows that could be counted, so the claim itself is limited.
TEST(HugeClaims, FramesOfASkeletonWithoutChannels) {
  const std::string text =
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\n"
      "Frames: 1000000000000000000\nFrame Time: 0.01\n";
  EXPECT_EQ(FirstErrorCode(ReadAndJudge(text).report), "LIMIT_FRAMES");
}

TEST(HugeClaims, ChannelsTakeNoMemory) {
  for (const std::string count :
       {"1000000000000000000", "4294967299", "18446744073709551619"}) {
    const Judged judged = ReadAndJudge(
        Replaced("CHANNELS 3 Zrotation", "CHANNELS " + count + " Zrotation"));
    EXPECT_LT(judged.result.clip.skeleton.channels.capacity(), 1000) << count;
  }
}

constexpr size_t kLongLine = 1001;

Limits LinesBelow(int64_t bytes) {
  Limits limits;
  limits.max_line_bytes = bytes;
  return limits;
}

TEST(HugeClaims, ALongRow) {
  const std::string text =
      Replaced("8 9\n1", "8 " + std::string(kLongLine, ' ') + "9\n1");
  EXPECT_EQ(FirstErrorCode(ReadAndJudge(text, LinesBelow(1000)).report),
            "LIMIT_LINE_BYTES");
}

TEST(HugeClaims, ALongLineOfTheHierarchy) {
  const std::string blanks(kLongLine, ' ');
  for (const std::string& text :
       {Replaced("HIERARCHY", "HIERARCHY" + blanks),
        Replaced("ROOT Pelvis", "# " + blanks + "\nROOT Pelvis"),
        Replaced("OFFSET 0 1 0", "OFFSET 0 1 " + blanks + "0"),
        Replaced("Frames: 3", "Frames: " + blanks + "3")}) {
    EXPECT_EQ(FirstErrorCode(ReadAndJudge(text, LinesBelow(1000)).report),
              "LIMIT_LINE_BYTES");
  }
}

}  // namespace
}  // namespace bvhmill::testing
