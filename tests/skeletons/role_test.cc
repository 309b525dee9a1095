#include <gtest/gtest.h>

#include "bvhmill/skeletons/naming_schemes.h"

namespace bvhmill::testing {
namespace {

Role RoleOf(std::string_view name) {
  const auto names = RoleNames();
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Role>(i);
  }
  ADD_FAILURE() << name;
  return Role::kNone;
}

// The enum and the rows of the table are written in two files.
TEST(Role, NamesOfTheTableAreThoseOfTheEnum) {
  constexpr std::pair<Role, const char*> kCases[] = {
      {Role::kHips, "hips"},
      {Role::kLowerBack2, "lower_back_2"},
      {Role::kSpine1, "spine_1"},
      {Role::kChest, "chest"},
      {Role::kNeck2, "neck_2"},
      {Role::kHead, "head"},
      {Role::kHeadTop, "head_top"},
      {Role::kJaw, "jaw"},
      {Role::kLeftEye, "left_eye"},
      {Role::kLeftClavicle, "left_clavicle"},
      {Role::kLeftUpperArm, "left_upper_arm"},
      {Role::kLeftForearm, "left_forearm"},
      {Role::kLeftHand, "left_hand"},
      {Role::kLeftThumb1, "left_thumb_1"},
      {Role::kLeftIndex3, "left_index_3"},
      {Role::kLeftMiddle2, "left_middle_2"},
      {Role::kLeftRing1, "left_ring_1"},
      {Role::kLeftLittle3, "left_little_3"},
      {Role::kLeftThigh, "left_thigh"},
      {Role::kLeftShin, "left_shin"},
      {Role::kLeftFoot, "left_foot"},
      {Role::kLeftToe, "left_toe"},
      {Role::kLeftToeTip, "left_toe_tip"},
      {Role::kRightEye, "right_eye"},
      {Role::kRightThigh, "right_thigh"},
      {Role::kRightToeTip, "right_toe_tip"},
  };
  for (const auto& [role, name] : kCases) EXPECT_EQ(RoleOf(name), role) << name;
}

TEST(Role, MirrorsDifferInTheSideAlone) {
  const auto names = RoleNames();
  for (int i = 0; i < IndexOf(Role::kBodyRoles); ++i) {
    const auto role = static_cast<Role>(i);
    std::string name(names[static_cast<size_t>(i)]);
    const bool is_left = name.starts_with("left_");
    EXPECT_EQ(is_left, IsLeft(role)) << name;
    EXPECT_EQ(name.starts_with("right_"), IsRight(role)) << name;
    if (is_left)
      name.replace(0, 4, "right");
    else if (IsRight(role))
      name.replace(0, 5, "left");
    EXPECT_EQ(names[static_cast<size_t>(MirrorRole(role))], name);
    EXPECT_EQ(MirrorRole(MirrorRole(role)), role);
  }
}

TEST(Role, ARoleMayFollowAnother) {
  struct Case {
    const char* role;
    const char* above;
    bool may;
  };
  constexpr Case kCases[] = {
      {"hips", "", true},
      {"hips", "spine_1", false},
      {"spine_1", "hips", true},
      {"chest", "hips", true},
      {"spine_1", "chest", false},
      {"spine_1", "left_thigh", false},
      {"head", "neck", true},
      {"head", "chest", true},
      {"neck", "head", false},
      {"jaw", "head", true},
      {"left_eye", "head", true},
      {"left_eye", "left_hand", false},
      {"left_thigh", "hips", true},
      {"left_thigh", "spine_1", true},
      {"left_thigh", "chest", false},
      {"left_thigh", "", true},
      {"left_thigh", "right_thigh", false},
      {"left_shin", "left_thigh", true},
      {"left_shin", "right_thigh", false},
      {"left_shin", "hips", false},
      {"left_shin", "", false},
      {"left_foot", "left_shin", true},
      {"left_foot", "left_thigh", false},
      {"right_toe_tip", "right_toe", true},
      {"left_clavicle", "neck", true},
      {"left_clavicle", "head", false},
      {"left_upper_arm", "left_clavicle", true},
      {"left_upper_arm", "right_clavicle", false},
      {"left_upper_arm", "chest", true},
      {"left_upper_arm", "", true},
      {"left_forearm", "left_clavicle", false},
      {"right_hand", "right_forearm", true},
      {"left_thumb_1", "left_hand", true},
      {"left_index_1", "left_hand", true},
      {"left_index_1", "left_thumb_3", false},
      {"left_index_2", "left_index_1", true},
      {"left_index_3", "left_index_1", false},
      {"right_little_3", "left_little_2", false},
  };
  for (const auto& [role, above, may] : kCases) {
    const Role upper = *above == '\0' ? Role::kNone : RoleOf(above);
    EXPECT_EQ(MayFollow(RoleOf(role), upper), may) << role << " " << above;
  }
}

}  // namespace
}  // namespace bvhmill::testing
