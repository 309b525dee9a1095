#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/skeletons/naming_schemes.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

// Both tables have every cell, and the schemes in one order.
TEST(Schemes, TablesHaveEqualSchemes) {
  const auto lines = Split(SkeletonsCsv(), '\n');
  const auto heads = Split(lines[0], ',');
  const auto schemes = NamingSchemes();
  ASSERT_EQ(heads.size(), schemes.size() + 1);
  for (size_t i = 0; i < schemes.size(); ++i) {
    EXPECT_EQ(schemes[i].name, heads[i + 1]);
    EXPECT_FALSE(schemes[i].title.empty());
  }
  for (const std::string& line : lines) {
    if (line.empty()) continue;
    EXPECT_EQ(Split(line, ',').size(), heads.size()) << line;
  }
  for (const std::string& line : Split(SchemesCsv(), '\n')) {
    if (line.empty()) continue;
    EXPECT_EQ(Split(line, ',').size(), 4u) << line;
    EXPECT_NE(line.back(), ',') << "no source: " << line;
  }
}

TEST(Schemes, EachHasABodyWithTwoEqualSides) {
  constexpr Role kNeeded[] = {
      Role::kHips,     Role::kChest,        Role::kNeck,
      Role::kHead,     Role::kLeftUpperArm, Role::kLeftForearm,
      Role::kLeftHand, Role::kLeftThigh,    Role::kLeftShin,
      Role::kLeftFoot,
  };
  for (const NamingScheme& scheme : NamingSchemes()) {
    for (const Role role : kNeeded) {
      EXPECT_NE(NameOfRole(scheme, role), "")
          << scheme.name << " " << RoleNames()[static_cast<size_t>(role)];
    }
    for (int i = 0; i < IndexOf(Role::kBodyRoles); ++i) {
      const auto role = static_cast<Role>(i);
      EXPECT_EQ(scheme.names[static_cast<size_t>(role)].size(),
                scheme.names[static_cast<size_t>(MirrorRole(role))].size())
          << scheme.name << " " << RoleNames()[static_cast<size_t>(i)];
    }
  }
}

// A name that is written means one role. The spine of Biped has three or four
// joints, so Spine2 may be its top.
TEST(Schemes, NamesOfOneSchemeDiffer) {
  for (const NamingScheme& scheme : NamingSchemes()) {
    std::map<std::string_view, int> count;
    for (const auto& names : scheme.names) {
      for (const std::string_view name : names) ++count[name];
    }
    for (const std::string_view name : scheme.others) ++count[name];
    for (const auto& [name, times] : count) {
      const bool is_spine = scheme.name == "biped" && name == "Spine2";
      EXPECT_EQ(times, is_spine ? 2 : 1) << scheme.name << " " << name;
    }
  }
}

// Every bone of the avatar has a role; and every role, a bone, except the
// second joint of a neck.
TEST(Schemes, SecondLifeHasTheBonesOfTheAvatar) {
  const NamingScheme& scheme = *FindNamingScheme("second_life");
  std::set<std::string_view> bones;
  for (const AvatarJoint& joint : AvatarJoints()) {
    if (joint.kind == AvatarJointKind::kBone) bones.insert(joint.name);
  }
  for (size_t i = 0; i < scheme.names.size(); ++i) {
    if (static_cast<Role>(i) == Role::kNeck2) continue;
    ASSERT_FALSE(scheme.names[i].empty()) << RoleNames()[i];
    EXPECT_EQ(bones.erase(scheme.names[i][0]), 1u) << scheme.names[i][0];
    const int32_t joint = FindAvatarJoint(scheme.names[i][0]);
    for (const std::string_view alias : scheme.names[i]) {
      EXPECT_EQ(FindAvatarJoint(alias), joint) << alias;
    }
    const auto mirror = static_cast<size_t>(MirrorRole(static_cast<Role>(i)));
    EXPECT_TRUE(static_cast<Role>(i) >= Role::kBodyRoles ||
                MirrorJoint(joint) == FindAvatarJoint(scheme.names[mirror][0]))
        << RoleNames()[i];
  }
  EXPECT_TRUE(bones.empty()) << *bones.begin();
}

std::string Target(const char* from, const char* to, std::string_view source) {
  for (const JointMapRow& row :
       MapBetween(*FindNamingScheme(from), *FindNamingScheme(to))) {
    if (row.source == source) return row.target;
  }
  return "";
}

TEST(Schemes, MapsLeadFromAnySchemeToAny) {
  struct Case {
    const char* from;
    const char* to;
    const char* source;
    const char* target;
  };
  constexpr Case kCases[] = {
      {"mixamo", "unreal", "LeftUpLeg", "thigh_l"},
      {"mixamo", "unreal", "mixamorigLeftUpLeg", "thigh_l"},
      {"unreal", "mixamo", "calf_r", "RightLeg"},
      {"soma", "mixamo", "LeftLeg", "LeftUpLeg"},
      {"soma", "mixamo", "LeftShin", "LeftLeg"},
      {"soma", "mixamo", "LeftHandIndex2", "LeftHandIndex1"},
      {"xsens", "unity", "LeftShoulder", "LeftUpperArm"},
      {"unity", "xsens", "LeftShoulder", "LeftCollar"},
      {"daz", "biped", "lThighBend", "Bip01 L Thigh"},
      {"biped", "daz", "Bip001 L Calf", "lShin"},
      {"cmu", "second_life", "LowerBack", "mSpine1"},
      // Spines of three joints are paired in order.
      {"cmu", "mixamo", "LowerBack", "Spine"},
      {"cmu", "mixamo", "Spine", "Spine1"},
      {"cmu", "mixamo", "Spine1", "Spine2"},
      {"mixamo", "cmu", "Spine2", "Spine1"},
      // A shorter one from its lower end on.
      {"bandai_namco", "unity", "Chest", "Chest"},
      {"bandai_namco", "xsens", "Chest", "Chest2"},
      {"perception_neuron", "mixamo", "Spine3", "Spine2"},
      {"perception_neuron", "mixamo", "Neck1", ""},
      {"mixamo", "lafan1", "LeftToeBase", "LeftToe"},
  };
  for (const auto& [from, to, source, target] : kCases) {
    const std::string found = Target(from, to, source);
    const bool keeps = found.empty() && std::string_view(target) == source;
    EXPECT_TRUE(keeps || found == target)
        << from << " to " << to << ": " << source << " becomes " << found;
  }
}

TEST(Schemes, NamesAreSorted) {
  const auto names = NamingSchemeNames();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(names.size(), NamingSchemes().size());
  EXPECT_EQ(FindNamingScheme("none"), nullptr);
  for (const auto name : names) EXPECT_EQ(FindNamingScheme(name)->name, name);
}

}  // namespace
}  // namespace bvhmill::testing
