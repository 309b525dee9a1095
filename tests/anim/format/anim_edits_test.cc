#include <gtest/gtest.h>

#include <cmath>

#include "bvhmill/anim/fit/key_play.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/anim/format/anim_settings.h"
#include "bvhmill/base/status.h"
#include "tests/anim/anim_support.h"

namespace bvhmill::testing {
namespace {

// A head that turns evenly by 90 degrees in 2 s, and a pelvis that rises.
AnimMotion Moving() {
  AnimMotion motion;
  motion.duration = 2;
  motion.loop_in = 0.5F;
  motion.loop_out = 1.5F;
  AnimJoint head = {"mHead", 1, {}, {}};
  AnimJoint pelvis = {"mPelvis", 2, {}, {}};
  for (int i = 0; i <= 20; ++i) {
    const uint16_t time = RoundU16(static_cast<float>(i) * 0.1F, 0, 2);
    const Quat<float> q = AxisQuat(2, 4.5F * static_cast<float>(i));
    head.rotations.push_back({time, RoundU16(q.x, -1, 1), RoundU16(q.y, -1, 1),
                              RoundU16(q.z, -1, 1)});
    pelvis.positions.push_back(
        {time, 32768, 32768, RoundU16(0.1F * static_cast<float>(i), -5, 5)});
  }
  motion.joints = {pelvis, head};
  AnimConstraint constraint;
  constraint.source_volume = "HEAD";
  constraint.target_volume = "L_HAND";
  constraint.source_offset = {1, 2, 3};
  constraint.ease_in_start = 0.5F;
  constraint.ease_out_stop = 2;
  motion.constraints = {constraint};
  return motion;
}

float AngleAt(const AnimMotion& motion, float seconds) {
  const BetweenKeys at =
      KeyCursor(motion.joints[1].rotations, motion.duration).To(seconds);
  const Quat<float> q =
      BlendRotations(RotationOf(*at.from), RotationOf(*at.to), at.u);
  return 2 * std::atan2(q.z, q.w) * 57.29578F;
}

float HeightAt(const AnimMotion& motion, float seconds) {
  const BetweenKeys at =
      KeyCursor(motion.joints[0].positions, motion.duration).To(seconds);
  return BlendPositions(PositionOf(*at.from), PositionOf(*at.to), at.u)[2];
}

TEST(TrimAnim, KeepsTheMotionOfThePart) {
  const AnimMotion whole = Moving();
  AnimMotion part = whole;
  ASSERT_TRUE(TrimAnim(0.25F, 1.35F, &part).ok());
  EXPECT_NEAR(part.duration, 1.1F, 1e-6F);
  EXPECT_EQ(part.joints[0].positions.front().time, 0);
  EXPECT_EQ(part.joints[0].positions.back().time, 65535);
  EXPECT_EQ(part.joints[0].positions.size(), 13);
  for (int i = 0; i <= 110; ++i) {
    const float t = static_cast<float>(i) * 0.01F;
    EXPECT_NEAR(AngleAt(part, t), AngleAt(whole, t + 0.25F), 0.02F) << t;
    EXPECT_NEAR(HeightAt(part, t), HeightAt(whole, t + 0.25F), 3e-4F) << t;
  }
  EXPECT_EQ(part.loop_in, 0.25F);
  EXPECT_NEAR(part.loop_out, 1.1F, 1e-6F);
  EXPECT_EQ(part.constraints[0].ease_in_start, 0.25F);
  EXPECT_NEAR(part.constraints[0].ease_out_stop, 1.1F, 1e-6F);
}

// Keys that are so near to the ends that their times would be those of the
// ends.
TEST(TrimAnim, NoTwoKeysHaveOneTime) {
  const AnimMotion whole = Moving();
  const float second = TimeOf(whole.joints[0].positions[5], whole.duration);
  for (const float off : {-1e-6F, 0.0F, 1e-6F}) {
    AnimMotion part = whole;
    ASSERT_TRUE(TrimAnim(0, second + off, &part).ok());
    const std::vector<AnimKey>& keys = part.joints[0].positions;
    EXPECT_EQ(keys.size(), 6) << off;
    for (size_t i = 1; i < keys.size(); ++i) {
      EXPECT_LT(keys[i - 1].time, keys[i].time) << off;
    }
    part = whole;
    ASSERT_TRUE(TrimAnim(second + off, whole.duration, &part).ok());
    EXPECT_EQ(part.joints[0].positions.size(), 16) << off;
  }
}

TEST(TrimAnim, TheWholeStaysAsItIs) {
  AnimMotion motion = Moving();
  ASSERT_TRUE(TrimAnim(0, 2, &motion).ok());
  ExpectSameMotion(motion, Moving());
}

TEST(TrimAnim, RefusesRangesOutsideTheDuration) {
  AnimMotion motion = Moving();
  EXPECT_FALSE(TrimAnim(-0.1F, 1, &motion).ok());
  EXPECT_FALSE(TrimAnim(1, 1, &motion).ok());
  EXPECT_FALSE(TrimAnim(0, 2.1F, &motion).ok());
  EXPECT_FALSE(TrimAnim(NAN, 1, &motion).ok());
  ExpectSameMotion(motion, Moving());
}

TEST(TrimAnim, CurvesOfOneKeyStayConstant) {
  AnimMotion motion = Moving();
  motion.joints[0].positions.resize(1);
  motion.joints[1].rotations.clear();
  ASSERT_TRUE(TrimAnim(1, 1.5F, &motion).ok());
  ASSERT_EQ(motion.joints[0].positions.size(), 1);
  EXPECT_EQ(motion.joints[0].positions[0], Moving().joints[0].positions[0]);
  EXPECT_TRUE(motion.joints[1].rotations.empty());
}

TEST(RetimeAnim, ScalesTimesOnly) {
  AnimMotion motion = Moving();
  ASSERT_TRUE(RetimeAnim(4, &motion).ok());
  EXPECT_EQ(motion.duration, 4);
  EXPECT_EQ(motion.loop_in, 1);
  EXPECT_EQ(motion.loop_out, 3);
  EXPECT_EQ(motion.constraints[0].ease_in_start, 1);
  EXPECT_TRUE(motion.joints == Moving().joints);
  EXPECT_FALSE(RetimeAnim(0, &motion).ok());
  EXPECT_FALSE(RetimeAnim(61, &motion).ok());
  EXPECT_FALSE(RetimeAnim(NAN, &motion).ok());
  motion.duration = 0;
  EXPECT_FALSE(RetimeAnim(1, &motion).ok());
}

// However the times are rounded.
TEST(RetimeAnim, ALoopToTheEndStillEndsThere) {
  for (int from = 1; from < 60; ++from) {
    for (int to = 1; to < 60; ++to) {
      AnimMotion motion = Moving();
      motion.duration = static_cast<float>(from) * 0.7F;
      motion.loop_out = motion.duration;
      ASSERT_TRUE(RetimeAnim(static_cast<float>(to), &motion).ok());
      EXPECT_LE(motion.loop_out, motion.duration) << from << " " << to;
    }
  }
}

TEST(DropAnimJoints, DropsConstraintsOnDroppedJoints) {
  AnimMotion motion = Moving();
  EXPECT_EQ(
      DropAnimJoints(std::vector<std::string>{"unknown", "mChest"}, &motion),
      0);
  EXPECT_EQ(motion.constraints.size(), 1);
  EXPECT_EQ(DropAnimJoints(std::vector<std::string>{"head"}, &motion), 1);
  EXPECT_EQ(motion.joints.size(), 1);
  EXPECT_TRUE(motion.constraints.empty());
}

TEST(MirrorAnim, SwapsTheSides) {
  AnimMotion motion = Moving();
  motion.joints[0].name = "lThigh";
  motion.joints[1].name = "Right Hand";
  motion.hand_pose = 5;
  MirrorAnim(&motion);
  EXPECT_EQ(motion.joints[0].name, "mHipRight");
  EXPECT_EQ(motion.joints[1].name, "Left Hand");
  EXPECT_EQ(motion.hand_pose, 8);
  EXPECT_EQ(motion.constraints[0].target_volume, "R_HAND");
  EXPECT_EQ(motion.constraints[0].source_offset, (Vec3<float>{1, -2, 3}));
  EXPECT_NEAR(AngleAt(motion, 2), -90, 0.01F);
  EXPECT_NEAR(HeightAt(motion, 2), 2, 2e-4F);
}

TEST(MirrorAnim, TwiceGivesTheSameMotion) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    AnimMotion motion = RandomMotion(seed);
    MirrorAnim(&motion);
    MirrorAnim(&motion);
    ExpectSameMotion(motion, RandomMotion(seed));
  }
}

TEST(ResaveAsViewer, DoesWhatAnUploadDoes) {
  AnimMotion motion = SmallMotion();
  motion.base_priority = 9;
  motion.loop = 7;
  motion.emote = "Closed_Mouth";
  motion.joints[0].name = "hip";
  motion.joints[0].rotations = {
      {9, 40000, 1, 2}, {5, 40001, 32768, 3}, {9, 40000, 32768, 32767}};
  motion.constraints.push_back(motion.constraints[0]);
  motion.constraints[1].source_volume = "BELLY";
  ResaveAsViewer(&motion);
  EXPECT_EQ(motion.base_priority, 6);
  EXPECT_EQ(motion.loop, 1);
  EXPECT_EQ(motion.emote, "");
  EXPECT_EQ(motion.joints[0].name, "mPelvis");
  ASSERT_EQ(motion.joints[0].rotations.size(), 2);
  EXPECT_EQ(motion.joints[0].rotations[0].time, 5);
  EXPECT_EQ(motion.joints[0].rotations[1].time, 9);
  EXPECT_EQ(motion.joints[0].rotations[1].y, 32767);
  EXPECT_EQ(motion.constraints[0].source_volume, "BELLY");
}

TEST(ApplySettings, KeepsValuesThatAreNotSet) {
  AnimMotion motion = Moving();
  ApplySettings({}, &motion);
  ExpectSameMotion(motion, Moving());
  AnimSettings settings;
  settings.priority = 4;
  settings.joint_priority = {{"head", 6}, {"mChest", 1}};
  settings.loop_out = 60;
  settings.loop = false;
  settings.constraints = std::vector<AnimConstraint>();
  ApplySettings(settings, &motion);
  EXPECT_EQ(motion.joints[0].priority, 4);
  EXPECT_EQ(motion.joints[1].priority, 6);
  EXPECT_EQ(motion.loop_out, 2);
  EXPECT_EQ(motion.loop, 0);
  EXPECT_TRUE(motion.constraints.empty());
}

}  // namespace
}  // namespace bvhmill::testing
