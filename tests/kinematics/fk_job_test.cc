#include "bvhmill/kinematics/fk_job.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/kinematics/compare.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

// A job over SmallLeg: 3 joints and an end site, 12 columns.
class FkJobTest : public ::testing::Test {
 protected:
  FkJobTest() : clip_(SmallLeg(5)), plan_(MakePlan(clip_.skeleton, {})) {
    job_.plan = &plan_;
    job_.frames = 5;
    job_.values = clip_.motion.values;
    job_.positions = positions_;
    job_.world_rotations = world_;
    job_.local_rotations = local_;
  }

  Clip clip_;
  Plan plan_;
  std::vector<float> positions_ = std::vector<float>(5 * 3 * 3);
  std::vector<float> world_ = std::vector<float>(5 * 3 * 4);
  std::vector<float> local_ = std::vector<float>(5 * 3 * 4);
  FkJob job_;
};

TEST_F(FkJobTest, JobValidity) {
  EXPECT_TRUE(job_.Validate().ok()) << job_.Validate();
  std::vector<float> spare(1000);
  const auto of = [&](size_t size) { return std::span(spare).first(size); };
  const std::pair<const char*, std::function<void(FkJob*)>> breaks[] = {
      {"no plan", [&](FkJob* job) { job->plan = nullptr; }},
      {"negative frames", [&](FkJob* job) { job->frames = -1; }},
      {"more frames", [&](FkJob* job) { job->frames = 6; }},
      {"fewer frames", [&](FkJob* job) { job->frames = 4; }},
      {"short values", [&](FkJob* job) { job->values = of(59); }},
      {"long values", [&](FkJob* job) { job->values = of(61); }},
      {"no values", [&](FkJob* job) { job->values = {}; }},
      {"short positions", [&](FkJob* job) { job->positions = of(44); }},
      {"long positions", [&](FkJob* job) { job->positions = of(46); }},
      {"positions for end sites", [&](FkJob* job) { job->positions = of(60); }},
      {"short world", [&](FkJob* job) { job->world_rotations = of(59); }},
      {"long world", [&](FkJob* job) { job->world_rotations = of(61); }},
      {"short local", [&](FkJob* job) { job->local_rotations = of(59); }},
      {"long local", [&](FkJob* job) { job->local_rotations = of(61); }},
      {"end sites without room",
       [&](FkJob* job) { job->with_end_sites = true; }},
  };
  for (const auto& [what, apply] : breaks) {
    FkJob job = job_;
    apply(&job);
    EXPECT_EQ(job.Validate().code(), absl::StatusCode::kInvalidArgument)
        << what;
  }
}

// 2^62 frames x 12 columns wraps to 0 values, which must not pass the check.
TEST_F(FkJobTest, FramesWhoseProductWrapsAreInvalid) {
  job_.frames = (int64_t{1} << 62) + 5;
  EXPECT_EQ(job_.Validate().code(), absl::StatusCode::kInvalidArgument);
  job_.positions = job_.world_rotations = job_.local_rotations = {};
  EXPECT_EQ(job_.Validate().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(FkJobTest, OutputsAreIndependent) {
  const Solved all = Solve(clip_, {}, false, Solver::kRun);
  for (int kept = 0; kept < 3; ++kept) {
    FkJob job = job_;
    if (kept != 0) job.positions = {};
    if (kept != 1) job.world_rotations = {};
    if (kept != 2) job.local_rotations = {};
    ASSERT_TRUE(job.Validate().ok());
    job.Run();
  }
  EXPECT_EQ(positions_, all.positions);
  EXPECT_EQ(world_, all.world_rotations);
  EXPECT_EQ(local_, all.local_rotations);
}

// 3 joints in 12 columns need 24 values of columns, 9 of each joint twice, and
// some of their parents, for 16 frames at once.
TEST_F(FkJobTest, WorksInTheScratchOfItsCallerWithinItsBound) {
  const Solved all = Solve(clip_, {}, false, Solver::kRun);
  UninitializedVector<float> scratch;
  job_.scratch = &scratch;
  job_.rotation_kind = RotationKind::kMatrix;
  std::vector<float> matrices(5 * 3 * 9);
  job_.world_rotations = matrices;
  job_.local_rotations = {};
  job_.Run();
  EXPECT_EQ(positions_, all.positions);
  const int64_t bytes = FkScratchBytes(plan_);
  EXPECT_GE(bytes, 16 * 4 * (24 + 2 * 27));
  EXPECT_LE(bytes, 16 * 4 * 200);
  EXPECT_GT(scratch.size(), 0U);
  EXPECT_LE(static_cast<int64_t>(scratch.size() * sizeof(float)), bytes);
}

TEST_F(FkJobTest, NoOutputsAndNoFramesAreFine) {
  job_.positions = job_.world_rotations = job_.local_rotations = {};
  EXPECT_TRUE(job_.Validate().ok());
  job_.Run();
  job_.frames = 0;
  job_.values = {};
  EXPECT_TRUE(job_.Validate().ok());
  job_.Run();
}

TEST_F(FkJobTest, WritesInsideItsSpansOnly) {
  std::vector<float> guarded(5 * 3 * 3 + 20, 7);
  job_.positions = std::span(guarded).subspan(10, 45);
  job_.Run();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(guarded[i], 7);
    EXPECT_EQ(guarded[guarded.size() - 1 - i], 7);
  }
}

TEST(Plan, RowsAndColumns) {
  const Plan plan = MakePlan(SmallLeg(0).skeleton, {});
  EXPECT_EQ(plan.columns, 12);
  EXPECT_EQ(plan.joints, 3);
  EXPECT_EQ(plan.nodes.size(), 4);
  EXPECT_EQ(RowsOf(plan, false), 3);
  EXPECT_EQ(RowsOf(plan, true), 4);
}

TEST(Plan, ChannelsOfEndSitesAreSkipped) {
  SkeletonBuilder builder;
  const int root = builder.Root("Root", "XYZzxy");
  builder.EndSite(root, "", {0, 1, 0}, "XYZzxy");
  builder.Joint(root, "Joint", "zxy");
  Clip clip = CountingClip(builder.Build(), 1);
  CheckAllSolvers(clip, {});
  const Plan plan = MakePlan(clip.skeleton, {});
  EXPECT_EQ(plan.columns, 15);
  EXPECT_EQ(plan.nodes[1].step_count, 0);
  EXPECT_EQ(plan.nodes[1].position_column,
            (std::array<int32_t, 3>{-1, -1, -1}));
}

}  // namespace
}  // namespace bvhmill::testing
