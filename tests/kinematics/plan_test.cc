#include "bvhmill/kinematics/plan.h"

#include <gtest/gtest.h>

#include <span>

#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using Columns = std::array<int32_t, 3>;

// One joint below a root without channels.
PlanNode PlanOfJoint(const std::string& channels, JointPositions reading) {
  SkeletonBuilder builder;
  builder.Joint(builder.Root("Root", ""), "Joint", channels, {1, 2, 3});
  return MakePlan(builder.Build(), {.joint_positions = reading}).nodes[1];
}

struct JointCase {
  std::string channels;
  JointPositions reading;
  Columns columns;
  Offset offset;
};

TEST(MakePlan, PositionsOfJoints) {
  constexpr auto kReplace = JointPositions::kReplaceOffset;
  constexpr auto kAdd = JointPositions::kAddToOffset;
  constexpr auto kIgnore = JointPositions::kIgnore;
  const JointCase cases[] = {
      {"", kReplace, {-1, -1, -1}, {1, 2, 3}},
      {"zxy", kReplace, {-1, -1, -1}, {1, 2, 3}},
      {"XYZzxy", kReplace, {0, 1, 2}, {0, 0, 0}},
      {"XYZzxy", kAdd, {0, 1, 2}, {1, 2, 3}},
      {"XYZzxy", kIgnore, {-1, -1, -1}, {1, 2, 3}},
      {"zYx", kReplace, {-1, 1, -1}, {1, 0, 3}},
      {"zYx", kAdd, {-1, 1, -1}, {1, 2, 3}},
      {"XzX", kReplace, {2, -1, -1}, {0, 2, 3}},
      {"iZj", kReplace, {-1, -1, 1}, {1, 2, 0}},
  };
  for (const JointCase& c : cases) {
    const PlanNode node = PlanOfJoint(c.channels, c.reading);
    EXPECT_EQ(node.position_column, c.columns) << c.channels;
    EXPECT_EQ(node.offset, c.offset) << c.channels;
  }
}

TEST(MakePlan, RootsHaveAReadingOfTheirOwn) {
  SkeletonBuilder builder;
  const int root = builder.Root("Root", "XYZ", {1, 2, 3});
  builder.Joint(root, "Joint", "XYZ", {4, 5, 6});
  const Plan added =
      MakePlan(builder.Build(), {JointPositions::kIgnore, RootOffset::kAdded});
  EXPECT_EQ(added.nodes[0].offset, (Offset{1, 2, 3}));
  EXPECT_EQ(added.nodes[0].position_column, (Columns{0, 1, 2}));
  EXPECT_EQ(added.nodes[1].offset, (Offset{4, 5, 6}));
  EXPECT_EQ(added.nodes[1].position_column, (Columns{-1, -1, -1}));
  const Plan replaced = MakePlan(builder.Build(), {});
  EXPECT_EQ(replaced.nodes[0].offset, (Offset{0, 0, 0}));
}

TEST(MakePlan, StepsAreTheRotationsInFileOrder) {
  SkeletonBuilder builder;
  const int root = builder.Root("Root", "XzYxi");
  builder.EndSite(root, "", {0, 1, 0}, "zx");
  builder.Joint(root, "Joint", "yzy");
  const Plan plan = MakePlan(builder.Build(), {});
  std::vector<std::array<int, 3>> steps;
  for (size_t node = 0; node < plan.nodes.size(); ++node) {
    const auto of_node =
        std::span(plan.steps)
            .subspan(plan.nodes[node].first_step, plan.nodes[node].step_count);
    for (const RotationStep& step : of_node) {
      steps.push_back({static_cast<int>(node), step.axis, step.column});
    }
  }
  const std::vector<std::array<int, 3>> wanted = {
      {0, 2, 1}, {0, 0, 3}, {2, 1, 7}, {2, 2, 8}, {2, 1, 9}};
  EXPECT_EQ(steps, wanted);
}

TEST(MakePlan, OfNothingIsEmpty) {
  const Plan plan = MakePlan({}, {});
  EXPECT_TRUE(plan.nodes.empty());
  EXPECT_EQ(plan.columns, 0);
  EXPECT_EQ(RowsOf(plan, true), 0);
}

}  // namespace
}  // namespace bvhmill::testing
