#include "bvhmill/anim/avatar/avatar.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace bvhmill::testing {
namespace {

std::string_view NameOf(int32_t joint) {
  return joint < 0 ? "" : AvatarJoints()[static_cast<size_t>(joint)].name;
}

TEST(Avatar, HasAllJoints) {
  std::map<AvatarJointKind, int> counts;
  for (const AvatarJoint& joint : AvatarJoints()) ++counts[joint.kind];
  EXPECT_EQ(counts[AvatarJointKind::kBone], 133);
  EXPECT_EQ(counts[AvatarJointKind::kCollisionVolume], 26);
  EXPECT_EQ(counts[AvatarJointKind::kAttachmentPoint], 47);
  EXPECT_EQ(counts[AvatarJointKind::kHudPoint], 8);
}

TEST(Avatar, ParentsComeFirst) {
  for (size_t i = 0; i < AvatarJoints().size(); ++i) {
    EXPECT_LT(AvatarJoints()[i].parent, static_cast<int32_t>(i));
  }
  EXPECT_EQ(NameOf(AvatarJoints()[1].parent), "mPelvis");
}

TEST(Avatar, JointsAreFoundByEveryName) {
  struct {
    std::string_view name, joint, alias;
  } constexpr kCases[] = {
      {"mPelvis", "mPelvis", "mPelvis"},
      {"avatar_mPelvis", "mPelvis", "mPelvis"},
      {"hip", "mPelvis", "mPelvis"},
      {"figureHair", "mSkull", "mSkull"},
      {"lFoot", "mAnkleLeft", "mAnkleLeft"},
      {"Left Hand", "Left Hand", ""},
      {"Left_Hand", "Left Hand", "Left Hand"},
      {"Center_2", "Center 2", "Center 2"},
      {"Chest", "Chest", ""},
      {"CHEST", "CHEST", ""},
      {"chest", "mChest", "mChest"},
      {"avatar_CHEST", "", ""},
      {"mpelvis", "", ""},
      {"Hip", "", ""},
      {"mRoot", "", ""},
      {"mScreen", "", ""},
      {"", "", ""},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(NameOf(FindAvatarJoint(c.name)), c.joint) << c.name;
    EXPECT_EQ(NameOf(FindAvatarAlias(c.name)), c.alias) << c.name;
  }
  EXPECT_EQ(FindAvatarJoint(std::string(1 << 20, 'm')), -1);
}

TEST(Avatar, JointsMirror) {
  struct {
    std::string_view name, other;
  } constexpr kCases[] = {
      {"mHipLeft", "mHipRight"},    {"mHandThumb1Right", "mHandThumb1Left"},
      {"LEFT_PEC", "RIGHT_PEC"},    {"L_HAND", "R_HAND"},
      {"R Forearm", "L Forearm"},   {"Alt Left Ear", "Alt Right Ear"},
      {"mPelvis", "mPelvis"},       {"mFaceNoseCenter", "mFaceNoseCenter"},
      {"Top Right", "Top Left"},    {"HEAD", "HEAD"},
      {"LOWER_BACK", "LOWER_BACK"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(NameOf(MirrorJoint(FindAvatarJoint(c.name))), c.other);
  }
}

TEST(Avatar, MirroringTwiceGivesTheSameJoint) {
  int in_the_middle = 0;
  for (int32_t i = 0; i < static_cast<int32_t>(AvatarJoints().size()); ++i) {
    EXPECT_EQ(MirrorJoint(MirrorJoint(i)), i) << NameOf(i);
    in_the_middle += MirrorJoint(i) == i ? 1 : 0;
    const bool has_side = NameOf(i).find("Left") != std::string_view::npos;
    EXPECT_FALSE(has_side && MirrorJoint(i) == i) << NameOf(i);
  }
  EXPECT_LT(in_the_middle, 70);
}

TEST(Avatar, Emotes) {
  for (const std::string_view name :
       {"express_smile", "Express_Frown", "yoga_float",
        "DEADBEEF-0123-4567-89ab-cdef01234567"}) {
    EXPECT_TRUE(IsKnownEmote(name)) << name;
  }
  for (const std::string_view name : {"", "express_nothing", "Closed_Mouth",
                                      "deadbeef-0123-4567-89ab-cdef0123456",
                                      "deadbeef-0123-4567-89ab-cdef0123456g",
                                      "deadbeef+0123-4567-89ab-cdef01234567"}) {
    EXPECT_FALSE(IsKnownEmote(name)) << name;
  }
}

}  // namespace
}  // namespace bvhmill::testing
