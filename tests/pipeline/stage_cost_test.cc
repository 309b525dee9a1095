// Tests the memory and work that each stage of a conversion draws from its
// budget: each part of a clip counts once for each copy of it.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/base/parallel.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/pipeline/discarding_receiver.h"
#include "bvhmill/pipeline/internal/costs.h"
#include "bvhmill/pipeline/internal/edit_stage.h"
#include "bvhmill/pipeline/internal/fused_conversion.h"
#include "bvhmill/pipeline/internal/outputs/encode_clip.h"
#include "bvhmill/pipeline/internal/rows/row_pipeline.h"
#include "bvhmill/pipeline/internal/workspace.h"
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

ConvertOptions Asking(const std::vector<FormatOptions>& formats) {
  ConvertOptions options;
  for (const FormatOptions& format : formats) {
    options.outputs.push_back({std::to_string(options.outputs.size()), format});
  }
  return options;
}

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

// A stage that has begun a clip of Chain() with outputs of `formats`.
struct BegunStage {
  explicit BegunStage(const std::vector<FormatOptions>& formats)
      : options(Asking(formats)), budget({}, nullptr) {
    stage.SetOutputs(options);
    EncodeContext context{&skeleton, 10, 0.01};
    context.budget = &budget;
    EXPECT_TRUE(stage.Begin(context, nullptr, &receiver, &result).ok());
  }

  Skeleton skeleton = Chain();
  ConvertOptions options;
  Budget budget;
  DiscardingReceiver receiver;
  ConvertResult result;
  OutputStage stage;
};

// The scratch memory that kinematics needs for Chain().
int64_t ScratchBytes() { return FkScratchBytes(MakePlan(Chain(), {})); }

TEST(StageCost, BuffersHoldTheArraysAndTheScratchOfEachThread) {
  const PositionsFormat positions;
  const PositionsFormat with_end_sites{{}, true};
  const VelocitiesFormat velocities;
  const RotationsFormat matrices{RotationKind::kMatrix};
  struct Case {
    const char* name;
    std::vector<FormatOptions> formats;
    int64_t values_of_frame;
  };
  const Case cases[] = {
      {"positions", {positions}, 3 * kChainJoints},
      {"positions of all nodes", {with_end_sites}, 3 * kNodes},
      {"one array for two outputs", {positions, positions}, 3 * kChainJoints},
      {"two arrays", {positions, with_end_sites}, 3 * (kChainJoints + kNodes)},
      {"matrices", {matrices}, 9 * kChainJoints},
      // They are made of positions.
      {"velocities", {velocities}, (3 + 3) * kChainJoints},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    BegunStage begun(c.formats);
    const int64_t before = begun.budget.held();
    ASSERT_TRUE(
        begun.stage.solver().DrawBuffers(/*threads=*/3, /*frames=*/7).ok());
    EXPECT_EQ(begun.budget.held() - before,
              3 * (7 * c.values_of_frame * kFloat + ScratchBytes()));
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
      const Clip clip = CountingClip(Chain(), kFrames);
      const ConvertOptions options = Asking({c.format});
      Workspace workspace;
      workspace.stage.SetOutputs(options);
      workspace.BeginTiles(1);
      Budget budget(limits, nullptr);
      OneByOne alone(1);
      DiscardingReceiver receiver;
      ConvertResult result;
      const absl::Status status = EncodeClip(clip, nullptr, &alone, &receiver,
                                             &budget, &workspace, &result);
      EXPECT_EQ(status.ok(), most == 0) << status;
      return budget.work();
    };
    const int64_t rows = kFrames * c.units_of_frame;
    // Includes the text before and after the rows.
    EXPECT_GE(units(0), rows);
    EXPECT_LE(units(0), rows + kFrames * 24 * kColumns);
    // A unit more than there may be.
    units(rows - 1);
  }
}

TEST(StageCost, EachThreadHasBuffersOfItsOwn) {
  const auto held = [](int threads, int64_t frames) {
    const Clip clip = CountingClip(Chain(), frames);
    const ConvertOptions options = Asking({PositionsFormat{}});
    Workspace workspace;
    workspace.stage.SetOutputs(options);
    workspace.BeginTiles(threads);
    Budget budget({}, nullptr);
    OneByOne parallel(threads);
    DiscardingReceiver receiver;
    ConvertResult result;
    EXPECT_TRUE(EncodeClip(clip, nullptr, &parallel, &receiver, &budget,
                           &workspace, &result)
                    .ok());
    return budget.held();
  };
  const int64_t one = held(1, 10'000);
  EXPECT_GE(one, 1024 * 3 * kChainJoints * kFloat);
  EXPECT_EQ(held(4, 10'000), 4 * one);
  // Short clips are not worth a second thread.
  EXPECT_EQ(held(4, 4 * 1024), one);
}

// The rows that a worker reads, and their poses.
TEST(StageCost, EachWorkerThatReadsTilesHasATileOfItsOwn) {
  constexpr size_t kTextBytes = 3000;
  const auto held = [](int workers) {
    const auto source = std::make_shared<const SourceSkeleton>(
        SourceSkeleton{Chain(), std::vector<TextPosition>(kNodes)});
    const ConvertOptions options = Asking({PositionsFormat{}});
    Workspace workspace;
    OneByOne parallel(workers);
    DiscardingReceiver receiver;
    ConvertResult result;
    RowPipeline pipeline(options, &receiver, nullptr, &parallel, &workspace,
                         &result);
    FusedConversion tiles(workers, kTextBytes, &pipeline);
    EXPECT_TRUE(tiles.OnHeader({source, 0.01, 100}));
    return pipeline.budget()->held();
  };
  constexpr int64_t kValues = kTextBytes / 2 + kColumns;
  constexpr int64_t kFrames = kValues / kColumns;
  EXPECT_EQ(
      held(4) - held(1),
      3 * ((kValues + kFrames * 3 * kChainJoints) * kFloat + ScratchBytes()));
}

TEST(StageCost, AnEditedClipIsDescribedOnceMore) {
  Workspace workspace;
  workspace.clip = CountingClip(Chain(), 0);
  ConvertOptions options;
  options.edits.root_motion = RootMotion::kOrigin;
  Budget budget({}, nullptr);
  ConvertResult result;
  ASSERT_TRUE(EditStage(options, &budget, &workspace, nullptr, &result).ok());
  Budget described({}, nullptr);
  ASSERT_TRUE(DrawDescription(Chain(), &described).ok());
  EXPECT_EQ(budget.work(), described.work());
  EXPECT_GE(budget.held(), described.held() + 2 * SkeletonBytes(Chain()));
}

}  // namespace
}  // namespace bvhmill::testing
