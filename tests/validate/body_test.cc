// Which trees have the lengths of a body, and which joints are pairs by their
// names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bvhmill/validate/skeleton_facts.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;

// Two legs straight down, a torso straight up, and two short arms on top of it.
struct Build {
  const char* name;
  float left_leg;
  float right_leg;
  float torso;
  int leg_joints = 3;
  int arm_joints = 3;
  bool is_body = true;
};

// Joints in equal steps, `length` in all.
void AddLimb(SkeletonBuilder* builder, int parent, const std::string& name,
             int joints, const Offset& way) {
  const auto steps = static_cast<float>(joints);
  for (int i = 0; i < joints; ++i) {
    parent = builder->Joint(parent, name + std::to_string(i), "zxy",
                            {way[0] / steps, way[1] / steps, way[2] / steps});
  }
}

Skeleton SkeletonOf(const Build& build) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  AddLimb(&builder, hips, "L", build.leg_joints, {0, -build.left_leg, 0});
  AddLimb(&builder, hips, "R", build.leg_joints, {0, -build.right_leg, 0});
  const int chest = builder.Joint(hips, "Chest", "zxy", {0, build.torso, 0});
  AddLimb(&builder, chest, "LArm", build.arm_joints, {6, 0, 0});
  AddLimb(&builder, chest, "RArm", build.arm_joints, {-6, 0, 0});
  return builder.Build();
}

TEST(MeasureBiped, GoesByPairsOfLimbsAndTheLengthOfLegs) {
  const Build kBuilds[] = {
      {"as people are", 50, 50, 50},
      // Legs are 0.3 to 0.9 of the height.
      {"legs as short as can be", 31, 31, 69},
      {"legs too short", 29, 29, 71, 3, 3, false},
      {"legs as long as can be", 89, 89, 11},
      {"legs too long", 91, 91, 9, 3, 3, false},
      // By a twentieth of the longer one.
      {"legs as uneven as can be", 60, 57.06F, 40},
      {"legs too uneven", 60, 56.94F, 40, 3, 3, false},
      {"legs of two joints", 50, 50, 50, 2, 3, false},
      {"arms of two joints", 50, 50, 50, 3, 2, false},
      {"legs of four joints", 50, 50, 50, 4},
  };
  for (const Build& build : kBuilds) {
    SCOPED_TRACE(build.name);
    EXPECT_EQ(MeasureBiped(SkeletonOf(build)).has_value(), build.is_body);
  }
}

TEST(MeasureBiped, MeasuresTheRestPoseAndTheLongerLeg) {
  const auto body = MeasureBiped(SkeletonOf({"", 60, 58, 40}));
  ASSERT_TRUE(body.has_value());
  EXPECT_NEAR(body->leg, 60, 1e-4);
  EXPECT_NEAR(body->extent[0], 12, 1e-4);
  EXPECT_NEAR(body->extent[1], 100, 1e-4);
  EXPECT_NEAR(body->extent[2], 0, 1e-4);
  EXPECT_EQ(SizeOf(*body), body->extent[1]);
}

TEST(MirrorPairs, AreJointsThatDifferInTheirSide) {
  const struct {
    const char* left;
    const char* right;
    bool is_pair;
  } kCases[] = {
      {"LeftArm", "RightArm", true},
      {"left_arm", "right_arm", true},
      {"mixamorig:LeftArm", "mixamorig:RightArm", true},
      {"lShldr", "rShldr", true},
      {"LHipJoint", "RHipJoint", true},
      {"L_Wrist", "R_Wrist", true},
      {"Foot_L", "Foot_R", true},
      {"foot.l", "foot.r", true},
      {"Foot L", "Foot R", true},
      {"Foot-L", "Foot-R", true},
      {"lfemur", "rfemur", true},
      {"lfoot", "rfoot", true},
      {"lfoot_l", "lfoot_r", true},
      {"lfoot", "Rfoot", false},
      {"Lower", "Rower", false},
      {"LeftArm", "RightLeg", false},
      {"Spine", "Spine1", false},
      {"RightArm", "LeftArm", true},
  };
  for (const auto& c : kCases) {
    SkeletonBuilder builder;
    const int hips = builder.Root("Hips", "XYZzxy");
    builder.EndSite(builder.Joint(hips, c.left, "zxy"));
    builder.EndSite(builder.Joint(hips, c.right, "zxy"));
    // The joints, and their end sites.
    EXPECT_EQ(FindMirrorPairs(builder.Build()).size(), c.is_pair ? 2u : 0u)
        << c.left;
  }
}

TEST(MirrorPairs, AreTheFirstJointsOfTheirNamesAndTheirFirstEndSites) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  const int left = builder.Joint(hips, "LeftArm", "zxy");
  builder.EndSite(left);
  builder.EndSite(left);
  builder.Joint(hips, "LeftArm", "zxy");
  const int right = builder.Joint(hips, "RightArm", "zxy");
  builder.EndSite(right);
  builder.EndSite(right);
  builder.Joint(hips, "RightArm", "zxy");
  std::vector<std::pair<int32_t, int32_t>> pairs;
  for (const auto& [a, b] : FindMirrorPairs(builder.Build())) {
    pairs.emplace_back(a, b);
  }
  EXPECT_THAT(pairs, ElementsAre(std::pair(1, 5), std::pair(2, 6)));
}

}  // namespace
}  // namespace bvhmill::testing
