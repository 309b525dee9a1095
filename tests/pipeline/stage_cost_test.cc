// Tests the memory and work that each stage of a conversion draws from its
// budget: each part of a clip counts once for each copy of it.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "bvhmill/base/parallel.h"
#include "bvhmill/encode/poses.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

constexpr int64_t kFloat = sizeof(float);

// Runs its tasks one after the other.
class OneByOne final : public Parallel {
 public:
  explicit OneByOne(int threads) : threads_(threads) {}
  int threads() const override { return threads_; }
  void Run(int64_t tasks, const std::function<void(int64_t)>& task) override {
    for (int64_t i = 0; i < tasks; ++i) task(i);
  }

 private:
  const int threads_;
};

// Four joints and an end site; 15 columns.
Skeleton Chain() {
  SkeletonBuilder builder;
  int joint = builder.Root("Root", "XYZzxy");
  for (const char* name : {"A", "B", "C"}) {
    joint = builder.Joint(joint, name, "zxy");
  }
  builder.EndSite(joint);
  return builder.Build();
}
constexpr int64_t kColumns = 15;
constexpr int64_t kChainJoints = 4;
constexpr int64_t kNodes = 5;

TEST(StageCost, NodesChannelsAndNamesAreDescribed) {
  struct Case {
    const char* name;
    std::function<void(SkeletonBuilder*)> build;
    int64_t nodes;
    int64_t channels;
    // Bytes of the blocks of all names: a third more than the names have. An
    // end site without a label shows the name of its joint.
    int64_t name_bytes;
  };
  const Case cases[] = {
      {"a root", [](auto* b) { b->Root("", ""); }, 1, 0, 0},
      {"its name", [](auto* b) { b->Root("Hips", ""); }, 1, 0, 5},
      {"its channels", [](auto* b) { b->Root("", "XYZzxy"); }, 1, 6, 0},
      {"a joint", [](auto* b) { b->Joint(b->Root("Hips", "zxy"), "Leg", "x"); },
       2, 4, 9},
      {"an end site", [](auto* b) { b->EndSite(b->Root("Hips", "")); }, 2, 0,
       10},
      {"its label", [](auto* b) { b->EndSite(b->Root("Hips", ""), "T"); }, 2, 0,
       6},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    SkeletonBuilder builder;
    c.build(&builder);
    const Skeleton skeleton = builder.Build();
    Budget described({}, nullptr);
    ASSERT_TRUE(DrawDescription(skeleton, &described).ok());
    const int64_t description =
        256 * c.nodes + 16 * c.channels + 4 * c.name_bytes;
    EXPECT_EQ(described.held(), description);
    EXPECT_EQ(described.work(), 500 * c.nodes + 8 * c.name_bytes);
    Budget all({}, nullptr);
    ASSERT_TRUE(DrawSkeleton(skeleton, &all).ok());
    EXPECT_EQ(all.held(),
              description + 256 * c.nodes + SkeletonBytes(skeleton));
    EXPECT_EQ(all.work(), described.work());
  }
}

// The scratch memory that kinematics needs for Chain().
int64_t ScratchBytes() { return FkScratchBytes(MakePlan(Chain(), {})); }

// Encodes a clip of Chain() by `threads`.
struct Encoding {
  Encoding(int64_t frames, int threads, const Limits& limits = {})
      : clip(CountingClip(Chain(), frames)),
        plan(MakePlan(clip.skeleton, {})),
        parallel(threads),
        log({}),
        budget(limits, nullptr) {
    context.clip = &clip;
    context.plan = &plan;
    context.log = &log;
    context.budget = &budget;
    context.parallel = &parallel;
    context.poses = &poses;
  }

  // The memory that is held while `array` is written.
  int64_t HeldBy(const PoseArray& array) {
    int64_t held = 0;
    EXPECT_TRUE(WritePoses(array, context,
                           [&](int64_t, int64_t, std::span<const float>) {
                             held = budget.held();
                             return absl::OkStatus();
                           })
                    .ok());
    EXPECT_EQ(budget.held(), 0);
    return held;
  }

  Clip clip;
  Plan plan;
  OneByOne parallel;
  IssueLog log;
  Budget budget;
  PoseWorkspace poses;
  EncodeContext context;
};

TEST(StageCost, BuffersHoldATileAndTheScratch) {
  struct Case {
    const char* name;
    PoseArray array;
    int64_t values_of_frame;
  };
  const Case cases[] = {
      {"positions", {}, 3 * kChainJoints},
      {"positions of all nodes",
       {PoseKind::kPositions, true, {}, {}},
       3 * kNodes},
      {"matrices",
       {PoseKind::kLocalRotations, false, {}, RotationKind::kMatrix},
       9 * kChainJoints},
      // They are made of positions.
      {"velocities",
       {PoseKind::kVelocities, false, {}, {}},
       (3 + 3) * kChainJoints},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Encoding(7, 1).HeldBy(c.array),
              7 * c.values_of_frame * kFloat + ScratchBytes());
  }
}

// Solving a node costs 6 units and one for each number; a number as text costs
// 24 more.
TEST(StageCost, WorkIsThatOfNodesAndOfNumbersAsText) {
  struct Case {
    const char* name;
    FormatOptions format;
    int64_t units_of_frame;
  };
  const Case cases[] = {
      {"positions", PositionsFormat{}, 1 + (6 + 3) * kNodes},
      {"quaternions", RotationsFormat{}, 1 + (6 + 4) * kNodes},
      {"csv", CsvFormat{}, 1 + (6 + 3) * kNodes + 24 * 3 * kChainJoints},
      {"csv of all nodes", CsvFormat{true},
       1 + (6 + 3) * kNodes + 24 * 3 * kNodes},
      {"bvh", BvhFormat{}, 1 + 24 * kColumns},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    constexpr int64_t kFrames = 10;
    const auto units = [&](int64_t most) {
      Limits limits;
      limits.max_clip_work = most;
      limits.max_clip_work_per_byte = 0;
      Encoding run(kFrames, 1, limits);
      std::string bytes;
      StringSink sink(&bytes);
      const absl::Status status = Encode(c.format, run.context, &sink);
      EXPECT_EQ(status.ok(), most == 0) << status;
      return run.budget.work();
    };
    EXPECT_EQ(units(0), kFrames * c.units_of_frame);
    // A unit more than there may be.
    units(kFrames * c.units_of_frame - 1);
  }
}

TEST(StageCost, EachThreadHasBuffersOfItsOwn) {
  const int64_t one = Encoding(10'000, 1).HeldBy({});
  EXPECT_GE(one, 1024 * 3 * kChainJoints * kFloat);
  EXPECT_EQ(Encoding(10'000, 4).HeldBy({}), 4 * one);
  // Short clips are not worth a second thread.
  EXPECT_EQ(Encoding(4 * 1024, 4).HeldBy({}), one);
}

}  // namespace
}  // namespace bvhmill::testing
