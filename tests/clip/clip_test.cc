#include "bvhmill/clip/clip.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;

// Nodes with and without channels, first and last among them.
Skeleton SparseSkeleton() {
  SkeletonBuilder builder;
  const int root = builder.Root("Root", "");
  const int hips = builder.Joint(root, "Hips", "XYZzxy");
  const int fixed = builder.Joint(hips, "Fixed", "");
  builder.EndSite(fixed);
  const int knee = builder.Joint(hips, "Knee", "x");
  builder.EndSite(knee, "Toe");
  return builder.Build();
}

TEST(Clip, JointCountLeavesOutEndSites) {
  EXPECT_EQ(JointCount(SparseSkeleton()), 4);
  EXPECT_EQ(JointCount({}), 0);
}

TEST(Clip, ReachIsTheLongestWayAlongOffsets) {
  const auto reach = [](float knee, float toe) {
    Clip clip;
    Node root;
    Node joint;
    joint.parent = 0;
    joint.offset = {0, -knee, 0};
    Node leaf;
    leaf.parent = 1;
    leaf.kind = NodeKind::kEndSite;
    leaf.offset = {3, 0, toe};
    root.offset = {100, 0, 0};
    return Reach({{root, joint, leaf}, {}});
  };
  EXPECT_DOUBLE_EQ(reach(7, 4), 12);
  EXPECT_DOUBLE_EQ(reach(0.5F, 0), 3.5);
}

// End sites of a converter have some length, 1 for example.
TEST(Clip, EndSitesAloneTellNoReach) {
  SkeletonBuilder builder;
  const int root = builder.Root("Root", "");
  builder.EndSite(builder.Joint(root, "Hand", "XYZzxy"));
  Skeleton skeleton = builder.Build();
  skeleton.nodes[1].offset = {0, 0, 0};
  skeleton.nodes[2].offset = {0, 0, 1};
  EXPECT_EQ(Reach(skeleton), 0);
  skeleton.nodes[1].offset = {0, 2, 0};
  EXPECT_EQ(Reach(skeleton), 3);
}

// Names that do not fit into a node are a block of their own, which takes up to
// a third more.
TEST(Clip, SkeletonBytesAreThoseOfNodesChannelsAndLongNames) {
  const auto bytes = [](const std::string& name, std::string_view channels) {
    SkeletonBuilder builder;
    builder.Root(name, channels);
    return SkeletonBytes(builder.Build());
  };
  constexpr auto kNode = static_cast<int64_t>(sizeof(Node));
  EXPECT_EQ(SkeletonBytes({}), 0);
  EXPECT_EQ(bytes("", ""), kNode);
  EXPECT_EQ(bytes("Hips", ""), kNode);
  EXPECT_EQ(bytes("Hips", "XYZzxy"),
            kNode + 6 * static_cast<int64_t>(sizeof(Channel)));
  EXPECT_EQ(bytes(std::string(15, 'n'), ""), kNode);
  EXPECT_EQ(bytes(std::string(16, 'n'), ""), kNode + 17 + 5);
  EXPECT_EQ(bytes(std::string(1000, 'n'), ""), kNode + 1001 + 333);
}

TEST(Clip, NodeOfColumnSkipsNodesWithoutChannels) {
  const Skeleton skeleton = SparseSkeleton();
  for (int64_t column = 0; column < 6; ++column) {
    EXPECT_EQ(NodeOfColumn(skeleton, column), 1) << column;
  }
  EXPECT_EQ(NodeOfColumn(skeleton, 6), 4);
}

TEST(Clip, NodeOfColumnFindsEveryColumnOfEveryNode) {
  SkeletonBuilder builder;
  constexpr std::string_view kLetters = "zxyijk";
  int parent = builder.Root("Root", "XYZzxy");
  for (int i = 0; i < 50; ++i) {
    parent = builder.Joint(parent, "J", kLetters.substr(i % 7));
  }
  const Skeleton skeleton = builder.Build();
  for (size_t node = 0; node < skeleton.nodes.size(); ++node) {
    const Node& of = skeleton.nodes[node];
    for (int32_t i = 0; i < of.channel_count; ++i) {
      EXPECT_EQ(NodeOfColumn(skeleton, of.first_channel + i), node);
    }
  }
}

TEST(Clip, ChannelsOfIsTheSliceOfTheNode) {
  const Skeleton skeleton = SparseSkeleton();
  EXPECT_TRUE(ChannelsOf(skeleton, skeleton.nodes[0]).empty());
  EXPECT_THAT(ChannelsOf(skeleton, skeleton.nodes[1]),
              ElementsAre(Channel::kXPosition, Channel::kYPosition,
                          Channel::kZPosition, Channel::kZRotation,
                          Channel::kXRotation, Channel::kYRotation));
  EXPECT_THAT(ChannelsOf(skeleton, skeleton.nodes[4]),
              ElementsAre(Channel::kXRotation));
}

TEST(Clip, ChannelLetters) {
  const Skeleton skeleton = SparseSkeleton();
  EXPECT_EQ(ChannelLetters(skeleton, skeleton.nodes[0]), "");
  EXPECT_EQ(ChannelLetters(skeleton, skeleton.nodes[1]), "XYZzxy");
  SkeletonBuilder builder;
  builder.Root("All", "XYZxyzijk");
  const Skeleton all = builder.Build();
  EXPECT_EQ(ChannelLetters(all, all.nodes[0]), "XYZxyzijk");
}

TEST(Clip, ChannelNamesAndKinds) {
  struct {
    std::string_view name;
    Channel channel;
    int axis;
  } constexpr kCases[] = {
      {"Xposition", Channel::kXPosition, 0},
      {"Yposition", Channel::kYPosition, 1},
      {"Zposition", Channel::kZPosition, 2},
      {"Xrotation", Channel::kXRotation, 0},
      {"Yrotation", Channel::kYRotation, 1},
      {"Zrotation", Channel::kZRotation, 2},
      {"Xscale", Channel::kXScale, 0},
      {"Yscale", Channel::kYScale, 1},
      {"Zscale", Channel::kZScale, 2},
  };
  for (const auto& [name, channel, axis] : kCases) {
    EXPECT_EQ(ChannelName(channel), name);
    EXPECT_EQ(AxisOf(channel), axis) << name;
    EXPECT_EQ(IsPosition(channel), name.ends_with("position")) << name;
    EXPECT_EQ(IsRotation(channel), name.ends_with("rotation")) << name;
  }
}

TEST(Clip, DisplayName) {
  SkeletonBuilder builder;
  const int root = builder.Root("Left Hand", "");
  builder.EndSite(root);
  const int latin1 = builder.Joint(root, "Ren\xE9", "");
  builder.EndSite(latin1);
  builder.EndSite(latin1, "Tip");
  const Skeleton skeleton = builder.Build();
  EXPECT_EQ(DisplayName(skeleton, 0), "Left Hand");
  EXPECT_EQ(DisplayName(skeleton, 1), "Left Hand_End");
  EXPECT_EQ(DisplayName(skeleton, 2), "Ren\xC3\xA9");
  EXPECT_EQ(DisplayName(skeleton, 3), "Ren\xC3\xA9_End");
  EXPECT_EQ(DisplayName(skeleton, 4), "Tip");
}

TEST(Clip, Rates) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  struct {
    double frame_time;
    bool has_rate;
    double rate;
  } constexpr kCases[] = {{0.5, true, 2},
                          {1.0 / 128, true, 128},
                          {4, true, 0.25},
                          {0, false, 0},
                          {-0.0, false, 0},
                          {-0.01, false, 0},
                          {kInf, false, 0},
                          {-kInf, false, 0},
                          {std::numeric_limits<double>::quiet_NaN(), false, 0}};
  for (const auto& [frame_time, has_rate, rate] : kCases) {
    EXPECT_EQ(HasRate(frame_time), has_rate) << frame_time;
    EXPECT_EQ(FramesPerSecond(frame_time), rate) << frame_time;
  }
}

}  // namespace
}  // namespace bvhmill::testing
