// The names of rest poses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

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
    Clip clip;
    clip.skeleton = BodyWith(pose.arms, pose.legs);
    clip.motion.frames = 2;
    clip.motion.frame_time = 0.1;
    clip.motion.values.assign(2 * clip.skeleton.channels.size(), 0.0F);
    const auto measures =
        Convert(WrittenAsBvh(clip), Measured(), nullptr, nullptr).measures;
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
