// Which columns of a row belong to which joint, against a reader of its own.

#include <gtest/gtest.h>

#include "bvhmill/bvh/reader.h"
#include "bvhmill/bvh/writer.h"
#include "tests/support/clips.h"
#include "tests/support/oracle.h"

namespace bvhmill::testing {
namespace {

ReadResult Read(std::string_view text) {
  IssueLog log({});
  return ReadBvh(text, {}, &log);
}

std::string HierarchyWith(std::string_view inside) {
  return "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" + std::string(inside) +
         "}\nMOTION\nFrames: 1\nFrame Time: 1\n1 2 3 4 5 6 7\n";
}

constexpr std::string_view kPositions =
    "CHANNELS 3 Xposition Yposition Zposition\n";
constexpr std::string_view kChild =
    "JOINT b\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n}\n";
constexpr std::string_view kEndSite =
    "End Site\n{\nOFFSET 0 1 0\n"
    "CHANNELS 3 Zrotation Xrotation Yrotation\n}\n";

void CheckColumns(const std::string& text) {
  SCOPED_TRACE(text);
  const OracleClip oracle = ReadForOracle(text);
  const ReadResult result = Read(text);
  ASSERT_TRUE(result.motion_read);
  const Skeleton& skeleton = result.clip.skeleton;
  ASSERT_EQ(skeleton.nodes.size(), oracle.nodes.size());
  for (size_t i = 0; i < oracle.nodes.size(); ++i) {
    EXPECT_EQ(ChannelLetters(skeleton, skeleton.nodes[i]),
              oracle.nodes[i].channels);
    if (oracle.nodes[i].channels.empty()) continue;
    EXPECT_EQ(skeleton.nodes[i].first_channel, oracle.nodes[i].first_column);
    for (int32_t k = 0; k < skeleton.nodes[i].channel_count; ++k) {
      EXPECT_EQ(NodeOfColumn(skeleton, skeleton.nodes[i].first_channel + k), i);
    }
  }
}

TEST(Columns, OfEndSitesFollowThoseOfTheirJoint) {
  CheckColumns(HierarchyWith(std::string(kPositions) + std::string(kEndSite) +
                             std::string(kChild)));
}

// It would be open whose columns come first.
TEST(Columns, EndSitesWithChannelsBeforeThoseOfTheirJointAreRefused) {
  IssueLog log({});
  const ReadResult result =
      ReadBvh(HierarchyWith(std::string(kEndSite) + std::string(kPositions) +
                            std::string(kChild)),
              {}, &log);
  EXPECT_FALSE(result.motion_read);
  const Report report = log.Finish(result.skeleton_read, false);
  ASSERT_FALSE(report.issues.empty());
  EXPECT_EQ(report.issues[0].code, "CHANNEL_LIST_LATE");
  EXPECT_EQ(report.issues[0].location.line, 10);
}

TEST(Columns, AJointWithChannelsAfterAnEndSiteWithoutAny) {
  CheckColumns(
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nEnd Site\n{\n"
      "OFFSET 0 1 0\n}\n" +
      std::string(kPositions) + std::string(kChild) +
      "}\nMOTION\nFrames: 1\nFrame Time: 1\n1 2 3 4\n");
}

TEST(Columns, KeepTheirMeaningWhenWritten) {
  const std::string text = HierarchyWith(
      std::string(kPositions) + std::string(kEndSite) + std::string(kChild));
  const ReadResult result = Read(text);
  ASSERT_TRUE(result.motion_read);
  std::string written;
  StringSink sink(&written);
  ASSERT_TRUE(WriteBvh(result.clip, {}, &sink).ok());
  const OraclePose before = SolveOracle(ReadForOracle(text), 0, {});
  const OraclePose after = SolveOracle(ReadForOracle(written), 0, {});
  ASSERT_EQ(before.world.size(), after.world.size());
  for (size_t i = 0; i < before.world.size(); ++i) {
    EXPECT_EQ(before.world[i].at, after.world[i].at) << written;
  }
}

}  // namespace
}  // namespace bvhmill::testing
