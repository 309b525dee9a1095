#include <gtest/gtest.h>

#include "bvhmill/skeletons/recognize.h"
#include "tests/skeletons/trees.h"

namespace bvhmill::testing {
namespace {

std::string Renamed(const char* tree, const char* scheme) {
  Skeleton skeleton = TreeOf(tree);
  const auto names =
      NamesIn(*FindNamingScheme(scheme), skeleton, Recognize(skeleton));
  for (size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) skeleton.nodes[i].name = names[i];
  }
  return TreeText(skeleton);
}

TEST(NamesIn, JointsGetTheNamesOfTheScheme) {
  struct Case {
    const char* what;
    const char* tree;
    const char* scheme;
    const char* expected;
  };
  constexpr Case kCases[] = {
      {"a prefix is removed",
       "Take_01_Hips[Take_01_Spine>Take_01_Neck>Take_01_Head|Take_01_Hair]",
       "mixamo", "Hips[Spine>Neck>Head|Hair]"},
      {"a prefix is written", "Hips[LeftUpLeg>LeftLeg>LeftFoot|Spine]", "biped",
       "Bip01 Pelvis[Bip01 L Thigh>Bip01 L Calf>Bip01 L Foot|Bip01 Spine]"},
      {"unknown joints keep their names",
       "Root>Hips[LeftUpLeg>LeftLeg>LeftFoot|Tail]", "unreal",
       "Root>pelvis[thigh_l>calf_l>foot_l|Tail]"},
      {"a leg is a shin in one scheme and a thigh in another",
       "Hips[LeftLeg>LeftShin>LeftFoot|Spine1>Spine2>Chest>Neck1>Neck2>Head]",
       "mixamo",
       "Hips[LeftUpLeg>LeftLeg>LeftFoot|Spine>Spine1>Spine2>Neck>Neck2>Head]"},
      {"a longer spine keeps a joint, with a free name",
       "Hips[Spine>Spine1>Spine2>Spine3>Neck>Head|LeftUpLeg>LeftLeg]", "mixamo",
       "Hips[Spine>Spine1>Spine2_2>Spine2>Neck>Head|LeftUpLeg>LeftLeg]"},
      {"the scheme of the file", "Hips>Spine>Spine1>Spine2>Neck>Head", "mixamo",
       "Hips>Spine>Spine1>Spine2>Neck>Head"},
  };
  for (const auto& [what, tree, scheme, expected] : kCases) {
    EXPECT_EQ(Renamed(tree, scheme), expected) << what;
  }
}

}  // namespace
}  // namespace bvhmill::testing
