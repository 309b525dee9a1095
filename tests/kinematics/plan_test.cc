#include "bvhmill/kinematics/plan.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <vector>

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

// All that a schedule says, for comparisons; zeros have a sign.
std::string TextOf(const FkSchedule& schedule) {
  std::ostringstream out;
  out << schedule.slots << " slots\n";
  for (const FkStep& step : schedule.steps) {
    out << step.row << " of " << step.parent_row << ", " << step.slot << " of "
        << step.parent_slot << ", " << static_cast<int>(step.order) << ", "
        << step.first_step << " + " << step.step_count << ", "
        << step.has_positions;
    for (size_t axis = 0; axis < 3; ++axis) {
      out << ", " << step.offset[axis] << " " << step.position_column[axis];
    }
    out << "\n";
  }
  return out.str();
}

struct Rig {
  std::string channels;
  Offset offset;
  bool has_end_site = false;
};

Skeleton SkeletonOf(const Rig& rig) {
  SkeletonBuilder builder;
  const int root = builder.Root("Root", "XYZzxy");
  const int joint = builder.Joint(root, "Joint", rig.channels, rig.offset);
  if (rig.has_end_site) builder.EndSite(joint, "", {0, 1, 0});
  return builder.Build();
}

void ExpectSameNodes(const Plan& plan, const Plan& fresh) {
  ASSERT_EQ(plan.nodes.size(), fresh.nodes.size());
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    const PlanNode& node = plan.nodes[i];
    EXPECT_EQ(node.parent, fresh.nodes[i].parent) << i;
    EXPECT_EQ(node.depth, fresh.nodes[i].depth) << i;
    EXPECT_EQ(node.is_end_site, fresh.nodes[i].is_end_site) << i;
    EXPECT_EQ(node.offset, fresh.nodes[i].offset) << i;
    EXPECT_EQ(node.position_column, fresh.nodes[i].position_column) << i;
    EXPECT_EQ(node.first_step, fresh.nodes[i].first_step) << i;
    EXPECT_EQ(node.step_count, fresh.nodes[i].step_count) << i;
  }
  ASSERT_EQ(plan.steps.size(), fresh.steps.size());
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    EXPECT_EQ(plan.steps[i].axis, fresh.steps[i].axis) << i;
    EXPECT_EQ(plan.steps[i].column, fresh.steps[i].column) << i;
  }
}

TEST(MakePlanInto, IsThatOfThisRigAfterAnyOther) {
  const Rig rigs[] = {
      {"zxy", {1, 2, 3}},    {"zxy", {1, 2, 3}},     {"zx", {1, 2, 3}},
      {"", {1, 2, 3}},       {"zyx", {1, 2, 3}},     {"zxy", {1, 2, 4}},
      {"zxy", {0, 2, 4}},    {"zxy", {-0.0F, 2, 4}}, {"zxy", {1, 2, 3}, true},
      {"XYZzxy", {1, 2, 3}}, {"zxyXYZ", {1, 2, 3}},  {"zXxYyZ", {1, 2, 3}}};
  const Conventions readings[] = {
      {}, {.joint_positions = JointPositions::kIgnore}, {}};
  Plan plan;
  for (int round = 0; round < 2; ++round) {
    for (const Rig& rig : rigs) {
      for (const Conventions& reading : readings) {
        const Skeleton skeleton = SkeletonOf(rig);
        MakePlanInto(skeleton, reading, &plan);
        const Plan fresh = MakePlan(skeleton, reading);
        ExpectSameNodes(plan, fresh);
        EXPECT_EQ(TextOf(plan.joint_schedule), TextOf(fresh.joint_schedule));
        EXPECT_EQ(TextOf(plan.node_schedule), TextOf(fresh.node_schedule));
        EXPECT_EQ(plan.columns, fresh.columns);
        EXPECT_EQ(plan.depth, fresh.depth);
      }
    }
  }
  MakePlanInto({}, {}, &plan);
  EXPECT_TRUE(plan.joint_schedule.steps.empty());
}

TEST(MakePlanInto, IsThatOfThisRootAfterAnyOther) {
  Plan plan;
  for (const char* channels : {"zxy", "zx", "z", "", "zx", "zxy", "zxyz"}) {
    SkeletonBuilder builder;
    builder.Root("Root", channels);
    MakePlanInto(builder.Build(), {}, &plan);
    ExpectSameNodes(plan, MakePlan(builder.Build(), {}));
  }
}

TEST(MakePlan, OfNothingIsEmpty) {
  const Plan plan = MakePlan({}, {});
  EXPECT_TRUE(plan.nodes.empty());
  EXPECT_EQ(plan.columns, 0);
  EXPECT_EQ(RowsOf(plan, true), 0);
}

}  // namespace
}  // namespace bvhmill::testing
