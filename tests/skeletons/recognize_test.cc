#include "bvhmill/skeletons/recognize.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "tests/skeletons/trees.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using Row = std::map<std::string, std::string>;

std::string SchemeOf(const Recognition& recognition) {
  if (recognition.scheme != nullptr)
    return std::string(recognition.scheme->name);
  return recognition.matched > 0 ? "-" : "";
}

std::string NameOf(const Recognition& recognition, const Skeleton& skeleton,
                   Role role) {
  const int32_t node = NodeOfRole(recognition, role);
  return node < 0 ? "" : skeleton.nodes[static_cast<size_t>(node)].name;
}

void ExpectRow(const Row& row) {
  SCOPED_TRACE(row.at("document"));
  const Skeleton skeleton = TreeOf(row.at("tree"));
  ASSERT_EQ(TreeText(skeleton), row.at("tree"));
  const Recognition recognition = Recognize(skeleton);
  EXPECT_EQ(SchemeOf(recognition), row.at("scheme"));
  EXPECT_EQ(recognition.prefix, row.at("prefix"));
  EXPECT_EQ(std::to_string(recognition.matched) + " of " +
                std::to_string(recognition.joints),
            row.at("matched"));
  constexpr std::pair<const char*, Role> kRoles[] = {
      {"clavicle", Role::kLeftClavicle},
      {"upper_arm", Role::kLeftUpperArm},
      {"thigh", Role::kLeftThigh},
      {"shin", Role::kLeftShin},
  };
  for (const auto& [column, role] : kRoles) {
    EXPECT_EQ(NameOf(recognition, skeleton, role), row.at(column)) << column;
  }
}

TEST(Recognize, DocumentsGiveTheirSchemeAndRoles) {
  for (const Row& row : ReadTsv(SourceFile("tests/skeletons/documents.tsv"))) {
    ExpectRow(row);
  }
}

// The joints of the right side are the mirror images of those of the left one.
TEST(Recognize, BothSidesOfDocumentsHaveTheSameRoles) {
  for (const Row& row : ReadTsv(SourceFile("tests/skeletons/documents.tsv"))) {
    const Recognition recognition = Recognize(TreeOf(row.at("tree")));
    for (const Role role : recognition.roles) {
      if (!IsBodyRole(role)) continue;
      EXPECT_GE(NodeOfRole(recognition, MirrorRole(role)), 0)
          << row.at("document") << " "
          << RoleNames()[static_cast<size_t>(role)];
    }
  }
}

TEST(Recognize, ASkeletonWithoutNodesHasNoScheme) {
  const Recognition recognition = Recognize(Skeleton());
  EXPECT_EQ(recognition.scheme, nullptr);
  EXPECT_EQ(recognition.matched, 0);
  EXPECT_EQ(recognition.joints, 0);
}

TEST(Recognize, FourRolesMakeAScheme) {
  constexpr std::pair<const char*, const char*> kCases[] = {
      {"Hips>Spine>Spine1", ""},
      {"Hips>Spine>Spine1>Spine2", "lafan1"},
      {"Hips>LeftUpLeg>LeftLeg", ""},
      {"Hips>LeftUpLeg>LeftLeg>LeftFoot", "cmu"},
      {"Hips>LeftUpLeg>LeftLeg>LeftFoot>LeftToe", "lafan1"},
  };
  for (const auto& [tree, scheme] : kCases) {
    EXPECT_EQ(SchemeOf(Recognize(TreeOf(tree))), scheme) << tree;
  }
}

// A hostile file: as many joints as a file may have, of one known name.
TEST(Recognize, ManyJointsOfOneNameGetOneRole) {
  std::string tree = "Hips[";
  for (int i = 0; i < 20'000; ++i) tree += "LeftUpLeg|";
  tree += "Spine>Spine1>Spine2>Neck]";
  const Recognition recognition = Recognize(TreeOf(tree));
  int thighs = 0;
  for (const Role role : recognition.roles) {
    thighs += role == Role::kLeftThigh;
  }
  EXPECT_LE(thighs, 1);
}

}  // namespace
}  // namespace bvhmill::testing
