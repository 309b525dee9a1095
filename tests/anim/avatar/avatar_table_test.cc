// The table of the avatar against figures that were worked out from the files
// of the viewer.

#include <gtest/gtest.h>

#include "bvhmill/anim/avatar/avatar.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

TEST(AvatarTable, KnowsTheNamesThatTheOracleKnows) {
  const auto rows = ReadTsv(TestData("viewer/ALIASES.tsv"));
  EXPECT_EQ(rows.size(), 326);
  for (const auto& row : rows) {
    const int32_t joint = FindAvatarAlias(row.at("alias"));
    ASSERT_GE(joint, 0) << row.at("alias");
    EXPECT_EQ(AvatarJoints()[static_cast<size_t>(joint)].name, row.at("joint"));
    EXPECT_EQ(FindAvatarJoint(row.at("alias")), joint);
  }
}

// Sums in which joint i counts i + 1 times: a number that is changed or
// exchanged changes them. Metres.
TEST(AvatarTable, PlacesAndParentsAddUp) {
  double rest[3] = {};
  double end[3] = {};
  int64_t parents = 0;
  for (size_t i = 0; i < AvatarJoints().size(); ++i) {
    const AvatarJoint& joint = AvatarJoints()[i];
    const auto weight = static_cast<double>(i + 1);
    for (size_t k = 0; k < 3; ++k) {
      rest[k] += weight * joint.rest[k];
      end[k] += weight * joint.end[k];
    }
    parents += static_cast<int64_t>(i + 1) * (joint.parent + 1);
  }
  EXPECT_NEAR(rest[0], -22.093419, 1e-5);
  EXPECT_NEAR(rest[1], -31.140111, 1e-5);
  EXPECT_NEAR(rest[2], -641.518693, 1e-4);
  EXPECT_NEAR(end[0], -136.96, 1e-4);
  EXPECT_NEAR(end[1], -25.402, 1e-4);
  EXPECT_NEAR(end[2], -568.347, 1e-4);
  EXPECT_EQ(parents, 1381420);
}

}  // namespace
}  // namespace bvhmill::testing
