// The names of rest poses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "tests/measures/measured.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

// A body whose arms point up by `arms` degrees, and whose legs do by `legs`.
Skeleton BodyWith(double arms, double legs) {
  SkeletonBuilder builder;
  const auto limb = [&](int parent, const std::string& name, double side,
                        double degrees, double bone) {
    const double radians = degrees * std::numbers::pi / 180;
    for (int i = 0; i < 3; ++i) {
      parent =
          builder.Joint(parent, name + std::to_string(i), "zxy",
                        {static_cast<float>(side * bone * std::cos(radians)),
                         static_cast<float>(bone * std::sin(radians)), 0});
    }
  };
  const int hips = builder.Root("Hips", "XYZzxy");
  limb(hips, "LeftLeg", 1, legs, 30);
  limb(hips, "RightLeg", -1, legs, 30);
  const int chest = builder.Joint(hips, "Chest", "zxy", {0, 50, 0});
  limb(chest, "LeftArm", 1, arms, 20);
  limb(chest, "RightArm", -1, arms, 20);
  builder.Joint(chest, "Head", "zxy", {0, 20, 0});
  return builder.Build();
}

// The clip of a rest pose; nothing moves.
std::optional<ClipMeasures> RestMeasures(const Skeleton& skeleton,
                                         UpAxis up = UpAxis::kUnknown) {
  Clip clip;
  clip.skeleton = skeleton;
  clip.motion.frames = 2;
  clip.motion.frame_time = 0.1;
  clip.motion.values.assign(2 * skeleton.channels.size(), 0.0F);
  ConvertOptions options = Measured();
  options.edits.source.up_axis = up;
  return Convert(WrittenAsBvh(clip), options, nullptr, nullptr).measures;
}

// A body may stand along any axis, in both directions.
TEST(Measures, NameTheRestPoseAlongAnyAxis) {
  for (size_t axis = 0; axis < 3; ++axis) {
    for (const float sign : {1.0F, -1.0F}) {
      SCOPED_TRACE(std::to_string(axis) + " " + std::to_string(sign));
      Skeleton skeleton = BodyWith(-40, -90);
      for (Node& node : skeleton.nodes) {
        std::swap(node.offset[1], node.offset[axis]);
        node.offset[axis] *= sign;
      }
      const auto measures = RestMeasures(skeleton);
      ASSERT_TRUE(measures.has_value());
      EXPECT_EQ(measures->rest_pose, RestPoseKind::kA);
      // Legs, chest and head.
      EXPECT_NEAR(measures->height.value_or(0), 90 + 50 + 20, 0.01);
    }
  }
}

// The height is that along the axis that the caller states.
TEST(Measures, HaveAHeightIfTheRestPoseStandsAlongTheStatedAxis) {
  Skeleton skeleton = BodyWith(-40, -90);
  const auto height = [&](UpAxis up) {
    const auto measures = RestMeasures(skeleton, up);
    return measures ? measures->height.value_or(0) : -1;
  };
  EXPECT_NEAR(height(UpAxis::kY), 90 + 50 + 20, 0.01);
  EXPECT_EQ(height(UpAxis::kZ), 0);
  for (Node& node : skeleton.nodes) std::swap(node.offset[1], node.offset[2]);
  EXPECT_NEAR(height(UpAxis::kZ), 90 + 50 + 20, 0.01);
  EXPECT_EQ(height(UpAxis::kY), 0);
}

// Fingers are chains of arms, too: the arm ends where its longest chain does,
// and pairs of fingers are no arms.
TEST(Measures, NameTheRestPoseOfABodyWithFingers) {
  SkeletonBuilder builder;
  const auto chain = [&](int parent, const std::string& name, int joints,
                         const Offset& bone) {
    for (int i = 0; i < joints; ++i) {
      parent = builder.Joint(parent, name + std::to_string(i), "zxy", bone);
    }
    return parent;
  };
  const int hips = builder.Root("Hips", "XYZzxy");
  chain(hips, "LeftLeg", 3, {0, -30, 0});
  chain(hips, "RightLeg", 3, {0, -30, 0});
  const int chest = builder.Joint(hips, "Chest", "zxy", {0, 50, 0});
  for (const float side : {1.0F, -1.0F}) {
    const std::string name = side > 0 ? "Left" : "Right";
    const int hand = chain(chest, name + "Arm", 3, {side * 20, 0, 0});
    chain(hand, name + "Index", 3, {side * 15, 0, 0});
    chain(hand, name + "Middle", 3, {side * 15, 0, 0});
    // The last chain, and a short one that hangs.
    chain(hand, name + "Strap", 2, {0, -20, 0});
  }
  builder.Joint(chest, "Head", "zxy", {0, 20, 0});
  const auto measures = RestMeasures(builder.Build());
  ASSERT_TRUE(measures.has_value());
  EXPECT_EQ(measures->rest_pose, RestPoseKind::kT);
  EXPECT_NEAR(measures->height.value_or(0), 90 + 50 + 20, 0.01);
}

TEST(Measures, NameTheRestPose) {
  struct Pose {
    double arms;
    double legs;
    RestPoseKind kind;
  };
  const Pose kPoses[] = {
      {0, -90, RestPoseKind::kT},          {19, -90, RestPoseKind::kT},
      {-19, -90, RestPoseKind::kT},        {-21, -90, RestPoseKind::kA},
      {-64, -80, RestPoseKind::kA},        {-66, -90, RestPoseKind::kArmsDown},
      {-90, -90, RestPoseKind::kArmsDown}, {21, -90, RestPoseKind::kOther},
      {0, -50, RestPoseKind::kOther},      {90, 90, RestPoseKind::kAligned},
  };
  for (const Pose& pose : kPoses) {
    SCOPED_TRACE(std::to_string(pose.arms) + " " + std::to_string(pose.legs));
    const auto measures = RestMeasures(BodyWith(pose.arms, pose.legs));
    ASSERT_TRUE(measures.has_value());
    EXPECT_EQ(measures->rest_pose, pose.kind);
    const bool stands = pose.kind == RestPoseKind::kT ||
                        pose.kind == RestPoseKind::kA ||
                        pose.kind == RestPoseKind::kArmsDown;
    EXPECT_EQ(measures->height.has_value(), stands);
    if (!stands) continue;
    const double leg = 90 * std::sin(-pose.legs * std::numbers::pi / 180);
    const double arm = 60 * std::sin(pose.arms * std::numbers::pi / 180);
    EXPECT_NEAR(*measures->height, leg + 50 + std::max(20.0, arm), 0.01);
  }
}

}  // namespace
}  // namespace bvhmill::testing
