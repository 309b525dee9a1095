// Tests the memory and work that edits draw from a budget before they use it,
// and the largest count of frames.

#include <gtest/gtest.h>

#include <string>

#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/edit/editing.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

// A root with `joints` joints below it, all of one name.
Skeleton Fan(int joints) {
  SkeletonBuilder builder;
  const int root = builder.Root("r", "XYZzxy");
  for (int i = 0; i < joints; ++i) builder.Joint(root, "j", "zxy");
  return builder.Build();
}

// Edits a clip of `skeleton` without frames.
void Edit(const ClipEdits& edits, const Skeleton& skeleton, Budget* budget) {
  Clip clip = CountingClip(skeleton, 0);
  const absl::Status status = EditClip(edits, {}, {}, budget, &clip, nullptr);
  EXPECT_TRUE(status.ok()) << status;
}

TEST(CostOfEdits, TwoSkeletonsAndFourMapsOfTheirColumnsAreDrawn) {
  const Skeleton skeleton = Fan(100);
  Budget budget({}, nullptr);
  Edit({}, skeleton, &budget);
  constexpr int64_t kColumns = 6 + 100 * 3;
  constexpr auto kColumnBytes = static_cast<int64_t>(sizeof(ColumnSource));
  EXPECT_EQ(budget.held(),
            2 * SkeletonBytes(skeleton) + 4 * kColumns * kColumnBytes);
}

// Rows are rewritten into one spare list of rows, however many edits there are.
TEST(CostOfEdits, SpareRowsAreDrawnOnce) {
  constexpr int64_t kFrames = 1000;
  const auto held_by = [&](const ClipEdits& edits) {
    Budget budget({}, nullptr);
    Clip clip = CountingClip(Fan(10), kFrames);
    EXPECT_TRUE(EditClip(edits, {}, {}, &budget, &clip, nullptr).ok());
    return budget.held();
  };
  ClipEdits edits;
  edits.source = {UpAxis::kZ, 1};
  edits.to_up = UpAxis::kY;
  edits.to_units = 0.01;
  edits.frames.step = 2;
  EXPECT_EQ(held_by(edits) - held_by({}), kFrames * 36 * 4 / 2);
  edits.frames.step = 1;
  EXPECT_EQ(held_by(edits) - held_by({}), kFrames * 36 * 4);
}

// The name of each joint is in both skeletons, and is copied into both. Its
// block takes up to a third more.
TEST(CostOfEdits, NewNamesAreDrawnTwice) {
  constexpr int kJoints = 100;
  constexpr int64_t kBytes = 1000;
  const Skeleton skeleton = Fan(kJoints);
  ClipEdits by_pairs;
  by_pairs.rename = {{"j", std::string(kBytes, 'n')}};
  ClipEdits by_rows;
  by_rows.joint_map_rows = {{"j", std::string(kBytes, 'n')}};
  for (const ClipEdits& edits : {by_pairs, by_rows}) {
    Budget plain({}, nullptr);
    Edit({}, skeleton, &plain);
    Budget renaming({}, nullptr);
    Edit(edits, skeleton, &renaming);
    EXPECT_EQ(renaming.held() - plain.held(), 2 * kJoints * (kBytes + 333));
    EXPECT_EQ(renaming.work() - plain.work(), 2 * kJoints * (kBytes + 333));
  }
}

// A line of text may state any number of frames of a clip without channels.
TEST(CheckGrowth, RefusesManyFramesThatGetChannels) {
  constexpr int64_t kFrames = 2'000'000;
  EXPECT_TRUE(CheckGrowth({kFrames, 0}, {kFrames, 0}, {}).ok());
  EXPECT_TRUE(CheckGrowth({1000, 0}, {1000, 3}, {}).ok());
  EXPECT_TRUE(CheckGrowth({kFrames, 3}, {kFrames, 6}, {}).ok());
  EXPECT_TRUE(
      absl::IsResourceExhausted(CheckGrowth({kFrames, 0}, {kFrames, 3}, {})));
}

TEST(CostOfEdits, ATurnOfARootIsWork) {
  ClipEdits turned;
  turned.root_alignment.correction_degrees = {0, 90, 0};
  constexpr int64_t kFrames = 10'000;
  const auto work_of = [](const ClipEdits& edits) {
    Budget budget({}, nullptr);
    Clip clip = CountingClip(Fan(1), kFrames);
    EXPECT_TRUE(EditClip(edits, {}, {}, &budget, &clip, nullptr).ok());
    return budget.work();
  };
  EXPECT_GE(work_of(turned), work_of({}) + 100 * kFrames);
}

// A count of kMaxFrames means that many frames or more.
TEST(CheckGrowth, RefusesTheMostFramesThatCanBeCounted) {
  Limits limits;
  limits.max_frames = 0;
  const MotionSize source = {1, 0};
  EXPECT_TRUE(CheckGrowth(source, {kMaxFrames - 1, 0}, limits).ok());
  EXPECT_TRUE(
      absl::IsResourceExhausted(CheckGrowth(source, {kMaxFrames, 0}, limits)));
}

}  // namespace
}  // namespace bvhmill::testing
