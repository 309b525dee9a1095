// Random skeletons and readings against the oracle.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "tests/kinematics/compare.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

TEST(RandomSkeletons, InEveryReading) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Clip clip = RandomClip({.scales = seed % 4 == 0}, 5, seed);
    for (const Conventions& conventions : AllConventions()) {
      SCOPED_TRACE(seed);
      ASSERT_NO_FATAL_FAILURE(CheckAllSolvers(clip, conventions));
    }
  }
}

TEST(RandomSkeletons, ManyRoots) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Clip clip = RandomClip({.max_roots = 20}, 4, 100 + seed);
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(CheckAllSolvers(clip, {}));
  }
}

TEST(RandomSkeletons, Large) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Clip clip = RandomClip({.max_joints = 400}, 3, 200 + seed);
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(CheckAllSolvers(clip, {}));
  }
}

TEST(RandomSkeletons, EveryNumberOfFramesAroundPowersOfTwo) {
  const Clip whole = RandomClip({}, 67, 300);
  const size_t columns = whole.skeleton.channels.size();
  for (int64_t frames = 0; frames <= 67; ++frames) {
    Clip clip = whole;
    clip.motion.frames = frames;
    clip.motion.values.resize(static_cast<size_t>(frames) * columns);
    SCOPED_TRACE(frames);
    ASSERT_NO_FATAL_FAILURE(CheckAllSolvers(clip, {}));
  }
}

TEST(RandomSkeletons, DeepChain) {
  SkeletonBuilder builder;
  int joint = builder.Root("Root", "XYZzxy");
  for (int i = 0; i < 5'000; ++i) {
    joint = builder.Joint(joint, "J", "", {0.001f, 0.5f, -0.25f});
  }
  builder.EndSite(joint);
  Clip clip = CountingClip(builder.Build(), 2);
  for (float& value : clip.motion.values) value = std::fmod(value, 7.0f) * 20;
  // Not the reference in single precision, whose error grows with depth.
  for (const Solver solver : {Solver::kRun, Solver::kReferenceDouble}) {
    ExpectAsOracle(Solve(clip, {}, true, solver), OracleOf(clip), {}, true,
                   kDoubleTolerance);
  }
}

// A value that is not finite affects the joints below it and no other joint.
TEST(NonFinite, SpreadsDownOnly) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity()}) {
    SkeletonBuilder builder;
    const int hips = builder.Root("Hips", "XYZzxy");
    const int left = builder.Joint(hips, "Left", "zxy");
    builder.Joint(left, "LeftTip", "zxy");
    const int right = builder.Joint(hips, "Right", "zxy");
    builder.Joint(right, "RightTip", "zxy");
    Clip clip = CountingClip(builder.Build(), 3);
    clip.motion.values[clip.skeleton.channels.size() + 7] = bad;
    const Solved solved = Solve(clip, {}, false, Solver::kRun);
    for (size_t row = 0; row < 15; ++row) {
      const bool finite = std::isfinite(solved.positions[3 * row]) &&
                          std::isfinite(solved.positions[3 * row + 1]) &&
                          std::isfinite(solved.positions[3 * row + 2]);
      EXPECT_EQ(finite, row != 5 + 2) << row;
    }
  }
}

// The reduction of huge angles does not lose one before a NaN.
TEST(NonFinite, HidesNoHugeAngle) {
  constexpr float kHuge = 1e11F;
  SkeletonBuilder builder;
  const int root = builder.Root("A", "zxy");
  builder.Joint(builder.Joint(root, "B", "zxy", {10, 0, 0}), "C", "zxy");
  Clip clip = CountingClip(builder.Build(), 20);
  const size_t columns = clip.skeleton.channels.size();
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    const size_t column = i % columns;
    clip.motion.values[i] = column == 0 ? kHuge
                            : column == 5
                                ? std::numeric_limits<float>::quiet_NaN()
                                : 0.0F;
  }
  const Solved solved = Solve(clip, {}, false, Solver::kRun);
  const double turn = std::fmod(double{kHuge}, 360.0) * std::acos(-1.0) / 180;
  for (size_t frame = 0; frame < 20; ++frame) {
    const float* b = &solved.positions[3 * (3 * frame + 1)];
    EXPECT_NEAR(b[0], 10 * std::cos(turn), 1e-4) << frame;
    EXPECT_NEAR(b[1], 10 * std::sin(turn), 1e-4) << frame;
  }
}

// The reference solves skeletons that are too deep for vectors.
TEST(HugeAngles, AreReducedByEverySolver) {
  SkeletonBuilder builder;
  int joint = builder.Root("Root", "z");
  for (int i = 0; i < 110; ++i)
    joint = builder.Joint(joint, "J", "", {1, 0, 0});
  Clip clip = CountingClip(builder.Build(), 1);
  clip.motion.values = {1e20F};
  const double turn = std::fmod(double{1e20F}, 360.0) * std::acos(-1.0) / 180;
  for (const Solver solver : {Solver::kRun, Solver::kReferenceDouble}) {
    const Solved solved = Solve(clip, {}, false, solver);
    EXPECT_NEAR(solved.positions[3], std::cos(turn), 1e-5);
    EXPECT_NEAR(solved.positions[4], std::sin(turn), 1e-5);
  }
}

TEST(Threads, ManyJobsShareOnePlan) {
  const Clip clip = RandomClip({}, 200, 400);
  const Solved expected = Solve(clip, {}, true, Solver::kRun);
  const Plan plan = MakePlan(clip.skeleton, {});
  std::vector<std::vector<float>> results(8);
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (std::vector<float>& result : results) {
    threads.emplace_back([&] {
      result.resize(expected.positions.size());
      FkJob job;
      job.plan = &plan;
      job.frames = clip.motion.frames;
      job.values = clip.motion.values;
      job.with_end_sites = true;
      job.positions = result;
      job.Run();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<float>& result : results) {
    EXPECT_EQ(result, expected.positions);
  }
}

}  // namespace
}  // namespace bvhmill::testing
