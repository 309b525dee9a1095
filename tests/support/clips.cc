#include "tests/support/clips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace bvhmill::testing {
namespace {

bool SameFloat(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

bool SameDouble(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

void ExpectSameNode(const Node& actual, const Node& expected) {
  EXPECT_EQ(actual.name, expected.name);
  EXPECT_EQ(actual.parent, expected.parent);
  EXPECT_EQ(actual.kind, expected.kind);
  EXPECT_EQ(actual.channel_count, expected.channel_count);
  // Where no channel is, it does not matter where it would begin.
  if (expected.channel_count > 0) {
    EXPECT_EQ(actual.first_channel, expected.first_channel);
  }
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_TRUE(SameFloat(actual.offset[axis], expected.offset[axis]))
        << actual.offset[axis] << " is not " << expected.offset[axis];
  }
}

int Below(int n, std::mt19937_64* random) {
  return std::uniform_int_distribution<int>(0, n - 1)(*random);
}

float Between(float low, float high, std::mt19937_64* random) {
  return std::uniform_real_distribution<float>(low, high)(*random);
}

std::string RandomChannels(bool scales, std::mt19937_64* random) {
  constexpr std::string_view kUsual[] = {"zxy", "XYZzxy", "xyz", "zyx",
                                         "yxz", "XYZzyx", "",    "x"};
  if (Below(2, random) == 0) return std::string(kUsual[Below(8, random)]);
  std::string letters;
  for (int count = Below(8, random); count > 0; --count) {
    letters += "XYZxyzijk"[Below(scales ? 9 : 6, random)];
  }
  return letters;
}

Offset RandomOffset(std::mt19937_64* random) {
  return {Between(-2, 2, random), Between(-2, 2, random),
          Between(-2, 2, random)};
}

}  // namespace

std::vector<Channel> ChannelsFromLetters(std::string_view letters) {
  constexpr std::string_view kLetters = "XYZxyzijk";
  std::vector<Channel> channels;
  for (const char letter : letters) {
    const size_t index = kLetters.find(letter);
    EXPECT_NE(index, kLetters.npos) << letter;
    channels.push_back(static_cast<Channel>(index));
  }
  return channels;
}

int SkeletonBuilder::Root(std::string name, std::string_view channels,
                          Offset offset) {
  return Add(NodeKind::kRoot, -1, std::move(name), offset, channels);
}

int SkeletonBuilder::Joint(int parent, std::string name,
                           std::string_view channels, Offset offset) {
  return Add(NodeKind::kJoint, parent, std::move(name), offset, channels);
}

int SkeletonBuilder::EndSite(int parent, std::string label, Offset offset,
                             std::string_view channels) {
  return Add(NodeKind::kEndSite, parent, std::move(label), offset, channels);
}

int SkeletonBuilder::Add(NodeKind kind, int parent, std::string name,
                         const Offset& offset, std::string_view channels) {
  const std::vector<Channel> listed = ChannelsFromLetters(channels);
  Node node;
  node.name = std::move(name);
  node.parent = parent;
  node.kind = kind;
  node.offset = offset;
  node.first_channel = static_cast<int32_t>(skeleton_.channels.size());
  node.channel_count = static_cast<int32_t>(listed.size());
  skeleton_.nodes.push_back(std::move(node));
  skeleton_.channels.insert(skeleton_.channels.end(), listed.begin(),
                            listed.end());
  return static_cast<int>(skeleton_.nodes.size()) - 1;
}

Clip CountingClip(const Skeleton& skeleton, int64_t frames) {
  Clip clip;
  clip.skeleton = skeleton;
  clip.motion.frames = frames;
  clip.motion.frame_time = 1.0 / 120;
  for (int64_t frame = 0; frame < frames; ++frame) {
    for (size_t column = 0; column < skeleton.channels.size(); ++column) {
      clip.motion.values.push_back(
          static_cast<float>(1000 * frame + static_cast<int64_t>(column)));
    }
  }
  return clip;
}

Skeleton RandomSkeleton(const RandomShape& shape, std::mt19937_64* random) {
  SkeletonBuilder builder;
  std::vector<int> path;
  const int joints = 1 + Below(shape.max_joints, random);
  int roots = 0;
  for (int i = 0; i < joints; ++i) {
    const std::string name = "J" + std::to_string(i);
    const std::string channels = RandomChannels(shape.scales, random);
    const bool may_root = roots < shape.max_roots && Below(8, random) == 0;
    if (path.empty() || may_root) {
      path = {builder.Root(name, channels, RandomOffset(random))};
      ++roots;
      continue;
    }
    // Go back up to any open joint, mostly to the last.
    if (Below(3, random) == 0) path.resize(1 + Below(path.size(), random));
    path.push_back(
        builder.Joint(path.back(), name, channels, RandomOffset(random)));
    if (Below(3, random) == 0) {
      builder.EndSite(path.back(), "", RandomOffset(random));
    }
  }
  return builder.Build();
}

Clip RandomClip(const RandomShape& shape, int64_t frames, uint64_t seed) {
  std::mt19937_64 random(seed);
  Clip clip = CountingClip(RandomSkeleton(shape, &random), frames);
  const std::vector<Channel>& channels = clip.skeleton.channels;
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    const Channel channel = channels[i % channels.size()];
    const float most = IsRotation(channel) ? 720 : 5;
    clip.motion.values[i] = Between(-most, most, &random);
  }
  return clip;
}

Clip SmallLeg(int64_t frames) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  const int knee = builder.Joint(hips, "Knee", "zxy", {0, -40, 0});
  const int foot = builder.Joint(knee, "Foot", "xyz", {0, -42, 1});
  builder.EndSite(foot, "", {0, -5, 15});
  Clip clip = CountingClip(builder.Build(), frames);
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    clip.motion.values[i] = std::sin(static_cast<float>(i)) * 90;
  }
  return clip;
}

void ExpectSameClip(const Clip& actual, const Clip& expected) {
  ASSERT_EQ(actual.skeleton.nodes.size(), expected.skeleton.nodes.size());
  for (size_t i = 0; i < actual.skeleton.nodes.size(); ++i) {
    SCOPED_TRACE("node " + std::to_string(i));
    ExpectSameNode(actual.skeleton.nodes[i], expected.skeleton.nodes[i]);
  }
  EXPECT_EQ(actual.skeleton.channels, expected.skeleton.channels);
  EXPECT_EQ(actual.motion.frames, expected.motion.frames);
  EXPECT_TRUE(SameDouble(actual.motion.frame_time, expected.motion.frame_time))
      << actual.motion.frame_time << " is not " << expected.motion.frame_time;
  const auto& values = actual.motion.values;
  ASSERT_EQ(values.size(), expected.motion.values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(SameFloat(values[i], expected.motion.values[i]))
        << "value " << i << ": " << values[i] << " is not "
        << expected.motion.values[i];
  }
}

}  // namespace bvhmill::testing
