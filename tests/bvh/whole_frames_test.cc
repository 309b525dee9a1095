// However reading ends, the clip is in one piece: whole frames, and channels
// that belong to nodes.

#include <gtest/gtest.h>

#include "bvhmill/bvh/reader.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

void ExpectWhole(const ReadResult& result) {
  const Skeleton& skeleton = result.clip.skeleton;
  const Motion& motion = result.clip.motion;
  EXPECT_EQ(motion.values.size(),
            static_cast<size_t>(motion.frames) * skeleton.channels.size());
  EXPECT_EQ(result.node_positions.size(), skeleton.nodes.size());
  EXPECT_TRUE(result.skeleton_read || !result.motion_read);
  if (!result.skeleton_read) return;
  int64_t channels = 0;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    EXPECT_LT(node.parent, static_cast<int32_t>(i));
    EXPECT_EQ(node.parent < 0, node.kind == NodeKind::kRoot);
    channels += node.channel_count;
  }
  EXPECT_EQ(channels, skeleton.channels.size());
}

ReadResult ReadWithin(std::string_view text, const Limits& limits) {
  IssueLog log({});
  return ReadBvh(text, {.limits = limits}, &log);
}

class WholeFrames : public ::testing::Test {
 protected:
  const std::vector<std::string> paths_ = FilesIn(TestData("cases"), ".bvh");
};

TEST_F(WholeFrames, ArriveOfEveryCase) {
  for (const std::string& path : paths_) {
    SCOPED_TRACE(path);
    ExpectWhole(ReadWithin(ReadFile(path), {}));
  }
}

TEST_F(WholeFrames, WhereALimitEndsReading) {
  Limits few_frames;
  few_frames.max_frames = 2;
  Limits short_lines;
  short_lines.max_line_bytes = 68;
  Limits few_channels;
  few_channels.max_channels = 10;
  for (const Limits& limits : {few_frames, short_lines, few_channels}) {
    for (const std::string& path : paths_) {
      SCOPED_TRACE(path);
      ExpectWhole(ReadWithin(ReadFile(path), limits));
    }
  }
}

TEST_F(WholeFrames, WhereTheTextIsCutAnywhere) {
  for (const char* name : {"ok_plain", "rows_split_over_lines", "row_all_long",
                           "endsite_channels_three"}) {
    const std::string text =
        ReadFile(TestData(std::string("cases/") + name + ".bvh"));
    for (size_t size = 0; size <= text.size(); ++size) {
      SCOPED_TRACE(std::string(name) + " cut to " + std::to_string(size));
      ExpectWhole(ReadWithin(text.substr(0, size), {}));
    }
  }
}

// Rows before the first fault are kept.
TEST_F(WholeFrames, GoodRowsBeforeAFaultAreKept) {
  const ReadResult result =
      ReadWithin(ReadFile(TestData("cases/row_word_first_value.bvh")), {});
  EXPECT_TRUE(result.skeleton_read);
  EXPECT_FALSE(result.motion_read);
  EXPECT_EQ(result.clip.motion.frames, 1);
}

}  // namespace
}  // namespace bvhmill::testing
