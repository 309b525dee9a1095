// Rows that repeat, written as words: "n" is a new row, and "r" is a row that
// repeats the one before it.

#include "bvhmill/report/repeated_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "bvhmill/report/thresholds.h"

namespace bvhmill {
namespace {

std::string Times(int count, std::string_view word) {
  std::string out;
  for (int i = 0; i < count; ++i) out += word;
  return out;
}

RepeatedRows RowsOf(std::string_view rows, double frame_time = 0.01) {
  RepeatedRows out(Thresholds(), frame_time);
  for (const char row : rows) out.Add(row == 'r');
  out.Finish();
  return out;
}

TEST(RepeatedRows, FourThatLastATenthOfASecondAreAStill) {
  const struct {
    int repeats;
    double frame_time;
    int64_t stills;
  } cases[] = {{3, 0.1, 0},     {4, 0.1, 1},   {5, 0.02, 1}, {5, 0.01999, 1},
               {5, 0.01997, 0}, {10, 0.01, 1}, {9, 0.01, 0}};
  for (const auto& c : cases) {
    const RepeatedRows rows = RowsOf(
        Times(50, "n") + Times(c.repeats, "r") + Times(50, "n"), c.frame_time);
    EXPECT_EQ(rows.stills(), c.stills) << c.repeats << " " << c.frame_time;
    EXPECT_EQ(rows.runs(), 1 - c.stills);
    EXPECT_EQ(rows.middle().rows(), c.stills * c.repeats);
  }
}

TEST(RepeatedRows, RunsWithinTwoRowsOfAnEndAreNotInner) {
  const struct {
    std::string rows;
    int64_t inner_runs;
  } cases[] = {
      {"nr" + Times(20, "n"), 0},   {"nnr" + Times(20, "n"), 0},
      {"nnnr" + Times(20, "n"), 1}, {Times(20, "n") + "r", 0},
      {Times(20, "n") + "rn", 0},   {Times(20, "n") + "rnn", 1},
      {"nnnrnnrnnrnn", 3},          {"nnrnnrnnrn", 1},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(RowsOf(c.rows).inner_runs(), c.inner_runs) << c.rows;
  }
}

TEST(RepeatedRows, ThreeInnerRunsAreReported) {
  const std::string few = Times(20, "n") + "rr";
  EXPECT_FALSE(RowsOf(Times(2, few) + "nnn").are_reported());
  EXPECT_TRUE(RowsOf(Times(3, few) + "nnn").are_reported());
  EXPECT_EQ(RowsOf(Times(3, few) + "nnn").stride(), 0);
  EXPECT_EQ(RowsOf(Times(3, few) + "nnn").first(), 19);
  EXPECT_EQ(RowsOf(Times(3, few) + "nnn").last(), 65);
  // So is a pattern, also if the ends have most of its runs.
  EXPECT_EQ(RowsOf(Times(4, "nr")).inner_runs(), 2);
  EXPECT_TRUE(RowsOf(Times(4, "nr")).are_reported());
}

// Poses that stand for a few rows each.
struct PosesCase {
  std::string rows;
  int64_t stride;
  bool is_uneven;
};

TEST(RepeatedRows, PosesOfAboutOneLengthAreAPattern) {
  const PosesCase cases[] = {
      {Times(10, "nr"), 2, false},
      {Times(10, "nrr"), 3, false},
      {Times(3, "nr"), 0, false},
      {Times(4, "nr"), 2, false},
      {Times(5, "nr") + Times(5, "nrr"), 2, true},
      {Times(4, "nr") + Times(5, "nrr"), 3, true},
      // A pose stands longer, or not at all.
      {Times(9, "nr") + "nrr", 2, true},
      {Times(8, "nr") + "nrr", 2, true},
      {Times(8, "nrr") + "nr", 3, true},
      {Times(8, "nr") + "n", 2, true},
      // Three of five poses stand; then less.
      {Times(6, "nr") + Times(4, "n"), 2, true},
      {Times(6, "nr") + Times(5, "n"), 0, false},
      {Times(6, "nr") + Times(4, "nrrr"), 2, true},
      {Times(5, "nr") + Times(5, "nrrrr"), 0, false},
  };
  for (const PosesCase& c : cases) {
    EXPECT_EQ(RowsOf(c.rows).stride(), c.stride) << c.rows;
    EXPECT_EQ(RowsOf(c.rows).is_uneven(), c.is_uneven) << c.rows;
  }
}

TEST(RepeatedRows, SomePosesStandIfMostDoNot) {
  const RepeatedRows rows = RowsOf(Times(10, "nnnrr"));
  EXPECT_EQ(rows.stride(), 0);
  EXPECT_EQ(rows.some().poses, 10);
  EXPECT_EQ(rows.some().rows, 3);
  EXPECT_TRUE(rows.are_reported());
  // Three of five runs are as long as each other; then less.
  const std::string others = "nnnrrrrnnnrrrrrr";
  EXPECT_EQ(RowsOf(Times(3, "nnnrr") + others).some().poses, 3);
  EXPECT_EQ(RowsOf(Times(2, "nnnrr") + others).some().poses, 0);
}

// Poses that stand for so long that each is a still by itself.
TEST(RepeatedRows, StillsThatFollowEachOtherAreAPattern) {
  constexpr double kTime = 0.02;
  const std::string pose = "nrrrrr";
  const struct {
    std::string rows;
    int64_t stride;
    bool is_uneven;
    int64_t stills;
  } cases[] = {
      {Times(8, pose), 6, false, 0},
      {Times(3, pose), 0, false, 3},
      {Times(4, pose), 6, false, 0},
      // One new row may stand between them, but not two.
      {Times(8, pose + "n"), 6, true, 0},
      {Times(8, pose + "nn"), 0, false, 8},
      // Some stand for one row more.
      {Times(9, pose) + pose + "r", 6, true, 0},
      {Times(8, pose) + pose + "r", 6, true, 0},
      {Times(8, pose + "r") + pose, 7, true, 0},
      {Times(5, pose) + Times(5, pose + "r"), 6, true, 0},
      // Most runs are such stills: six of ten, and five of nine.
      {Times(6, pose) + Times(4, "nrnn"), 6, true, 0},
      {Times(5, pose) + Times(4, "nrnn"), 0, false, 5},
      // Six of ten follow another, or are followed; then five.
      {Times(6, pose) + Times(4, "nn" + pose), 6, true, 0},
      {Times(5, pose) + Times(5, "nn" + pose), 0, false, 10},
  };
  for (const auto& c : cases) {
    const RepeatedRows rows = RowsOf(c.rows, kTime);
    EXPECT_EQ(rows.stride(), c.stride) << c.rows;
    EXPECT_EQ(rows.is_uneven(), c.is_uneven) << c.rows;
    EXPECT_EQ(rows.stills(), c.stills) << c.rows;
    EXPECT_EQ(rows.middle().rows(), c.stride > 0 ? 0 : 5) << c.rows;
  }
}

TEST(RepeatedRows, APatternHasPlacesAndLeavesLongerStills) {
  const std::string poses = Times(8, "nrrrrr");
  const RepeatedRows after = RowsOf("nr" + poses + "n", 0.02);
  EXPECT_EQ(after.stride(), 6);
  EXPECT_EQ(after.runs(), 9);
  EXPECT_EQ(after.first(), 0);
  EXPECT_EQ(after.last(), 49);
  const RepeatedRows before = RowsOf(poses + "nnr", 0.02);
  EXPECT_EQ(before.first(), 0);
  EXPECT_EQ(before.last(), 50);
  const RepeatedRows longer = RowsOf(poses + "n" + Times(30, "r"), 0.02);
  EXPECT_EQ(longer.stride(), 6);
  EXPECT_EQ(longer.stills(), 1);
  EXPECT_EQ(longer.end().rows(), 30);
}

TEST(RepeatedRows, KnowTheLongestStillOfEachPlace) {
  const RepeatedRows rows =
      RowsOf(Times(1, "n") + Times(12, "r") + Times(30, "n") + Times(11, "r") +
             Times(30, "n") + Times(15, "r") + Times(30, "n") + Times(14, "r"));
  EXPECT_EQ(rows.stills(), 4);
  EXPECT_EQ(rows.start().first, 0);
  EXPECT_EQ(rows.start().last, 12);
  EXPECT_EQ(rows.middle().first, 83);
  EXPECT_EQ(rows.middle().last, 98);
  EXPECT_EQ(rows.end().rows(), 14);
  EXPECT_EQ(rows.end().last, rows.frames() - 1);
  EXPECT_EQ(rows.poses(), 91);
}

TEST(RepeatedRows, AreAllIfThereIsOnePose) {
  EXPECT_TRUE(RowsOf("nr").are_all());
  EXPECT_TRUE(RowsOf("n" + Times(50, "r")).are_all());
  EXPECT_FALSE(RowsOf("n").are_all());
  EXPECT_FALSE(RowsOf("").are_all());
  EXPECT_FALSE(RowsOf("nrn").are_all());
  EXPECT_FALSE(RowsOf("nnr").are_all());
}

}  // namespace
}  // namespace bvhmill
