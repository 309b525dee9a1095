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
      {"no row step", [&](FkJob* job) { job->row_step = 0; }},
      {"a row step without rows", [&](FkJob* job) { job->row_step = 2; }},
      {"a row step that wraps",
       [&](FkJob* job) { job->row_step = int64_t{1} << 62; }},
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

std::vector<float> PositionsInSteps(const Clip& clip, const Plan& plan,
                                    FkTarget target, TensorLayout layout,
                                    int64_t step) {
  FkJob job;
  job.plan = &plan;
  job.frames = (clip.motion.frames - 1) / step + 1;
  job.row_step = step;
  job.values = std::span(clip.motion.values)
                   .first(static_cast<size_t>(((job.frames - 1) * step + 1) *
                                              plan.columns));
  job.target = target;
  job.layout = layout;
  std::vector<float> positions(
      static_cast<size_t>(3 * job.frames * plan.joints));
  job.positions = positions;
  EXPECT_TRUE(job.Validate().ok()) << job.Validate();
  job.Run();
  return positions;
}

TEST(FkJob, RowsOfAStepAreSolvedAsInTheWhole) {
  const Clip clip = RandomClip({}, 211, 502);
  const Plan plan = MakePlan(clip.skeleton, {});
  const auto joints = static_cast<size_t>(plan.joints);
  for (const FkTarget target : {FkTarget::kReference, FkTarget::kVector128,
                                FkTarget::kAvx2, FkTarget::kAvx512}) {
    if (!IsSupported(target)) continue;
    const auto whole =
        PositionsInSteps(clip, plan, target, TensorLayout::kFrameMajor, 1);
    for (const size_t step : {2, 3, 5, 210, 300}) {
      SCOPED_TRACE(step);
      const auto solve = [&](TensorLayout layout) {
        return PositionsInSteps(clip, plan, target, layout,
                                static_cast<int64_t>(step));
      };
      const auto by_frame = solve(TensorLayout::kFrameMajor);
      const auto by_joint = solve(TensorLayout::kJointMajor);
      const size_t frames = 210 / step + 1;
      for (size_t i = 0; i < by_frame.size(); ++i) {
        const size_t frame = i / 3 / joints;
        const size_t joint = i / 3 % joints;
        ASSERT_EQ(by_frame[i],
                  whole[3 * (frame * step * joints + joint) + i % 3]);
        ASSERT_EQ(by_joint[3 * (joint * frames + frame) + i % 3], by_frame[i]);
      }
    }
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
