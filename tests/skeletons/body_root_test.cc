#include "bvhmill/skeletons/body_root.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

// A joint: its parent, its channels, and those of them that vary.
struct Joint {
  int parent = -1;
  std::string name;
  const char* channels = "";
  const char* moving = "";
};
using Joints = std::vector<Joint>;

struct Clip {
  Skeleton skeleton;
  std::vector<uint8_t> moving;
};

Clip ClipOf(const Joints& joints) {
  SkeletonBuilder builder;
  Clip out;
  for (const auto& [parent, name, channels, moving] : joints) {
    if (parent < 0) {
      builder.Root(name, channels);
    } else {
      builder.Joint(parent, name, channels);
    }
    for (const char letter : std::string(channels)) {
      const bool moves = std::string(moving).find(letter) != std::string::npos;
      out.moving.push_back(moves ? 1 : 0);
    }
  }
  out.skeleton = builder.Build();
  return out;
}

// `above`, and below its last joint a body that Recognize knows.
Joints WithBody(Joints above, const char* channels, const char* moving) {
  const int hips = static_cast<int>(above.size());
  above.push_back({hips - 1, "Hips", channels, moving});
  above.push_back({hips, "Spine", "zyx", "z"});
  above.push_back({hips + 1, "Neck", "zyx", "z"});
  above.push_back({hips + 2, "Head", "zyx", "z"});
  for (const std::string side : {"Left", "Right"}) {
    int parent = hips;
    for (const char* part : {"UpLeg", "Leg", "Foot"}) {
      const int at = static_cast<int>(above.size());
      above.push_back({parent, side + part, "zyx", "x"});
      parent = at;
    }
  }
  return above;
}

struct Case {
  const char* about;
  Joints joints;
  std::vector<std::string> body_roots;
  JointPositions reading = JointPositions::kReplaceOffset;
};

constexpr const char* kAll = "XYZzyx";

const Case kCases[] = {
    {"a ROOT that moves", {{-1, "A", kAll, "X"}, {0, "B", kAll, kAll}}, {"A"}},
    {"a ROOT that turns", {{-1, "A", kAll, "y"}, {0, "B", kAll, kAll}}, {"A"}},
    {"a still ROOT", {{-1, "A", kAll}, {0, "B", kAll, "X"}}, {"B"}},
    {"a still ROOT above a body",
     {{-1, "A", kAll}, {0, "B", kAll, "X"}, {1, "C", "zyx", "z"}},
     {"B"}},
    {"two still joints",
     {{-1, "A", kAll},
      {0, "B", kAll},
      {1, "C", kAll, "Z"},
      {2, "D", "zyx", "z"},
      {3, "E", "zyx", "z"},
      {3, "F", "zyx", "z"}},
     {"C"}},
    {"a ROOT without channels",
     {{-1, "A"}, {0, "B", kAll, "X"}, {1, "C", "zyx", "z"}},
     {"B"}},
    {"a joint without positions",
     {{-1, "A", kAll}, {0, "B", "zyx", "z"}, {1, "C", kAll, kAll}},
     {"A"}},
    {"a joint with two positions",
     {{-1, "A", kAll}, {0, "B", "XYzyx", "X"}, {1, "C", kAll, kAll}},
     {"A"}},
    {"positions that are ignored",
     {{-1, "A", kAll}, {0, "B", kAll, "X"}, {1, "C", "zyx", "z"}},
     {"A"},
     JointPositions::kIgnore},
    {"several children that move",
     {{-1, "A", kAll},
      {0, "B", kAll, "X"},
      {1, "C", "zyx", "z"},
      {2, "D", "zyx", "z"},
      {0, "E", kAll, "X"}},
     {"A"}},
    {"a child that is still",
     {{-1, "A", kAll},
      {0, "B", kAll, "X"},
      {1, "C", "zyx", "z"},
      {2, "D", "zyx", "z"},
      {0, "E", kAll}},
     {"B"}},
    {"a hand that waves on a still body",
     {{-1, "A", kAll},
      {0, "B", kAll},
      {1, "C", kAll},
      {1, "D", kAll},
      {1, "E", kAll},
      {4, "F", kAll, "x"}},
     {"B"}},
    {"no motion", {{-1, "A", kAll}, {0, "B", kAll}, {1, "C", kAll}}, {"A"}},
    {"known hips", WithBody({{-1, "Root", kAll}}, kAll, "X"), {"Hips"}},
    {"known hips that stand still",
     WithBody({{-1, "Root", kAll}}, kAll, ""),
     {"Hips"}},
    {"known hips without positions",
     WithBody({{-1, "Root", kAll}}, "zyx", "z"),
     {"Root"}},
    {"a ROOT that moves above known hips",
     WithBody({{-1, "Root", kAll, "X"}}, kAll, "X"),
     {"Root"}},
    {"two figures",
     {{-1, "A", kAll},
      {0, "B", kAll, "X"},
      {1, "C", "zyx", "z"},
      {-1, "D", kAll, "X"},
      {3, "E", kAll, "X"}},
     {"B", "D"}},
};

TEST(BodyRoot, IsTheFirstJointThatMoves) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.about);
    const auto& [skeleton, moving] = ClipOf(c.joints);
    std::vector<std::string> names;
    for (const int32_t node :
         FindBodyRoots(skeleton, FindTrunks(skeleton), moving, c.reading)) {
      names.push_back(skeleton.nodes[static_cast<size_t>(node)].name);
    }
    EXPECT_EQ(names, c.body_roots);
  }
}

TEST(BodyRoot, TrunksOfLongChainsAreShort) {
  SkeletonBuilder builder;
  int joint = builder.Root("j", kAll);
  for (int i = 0; i < 1000; ++i) joint = builder.Joint(joint, "j", kAll);
  const std::vector<Trunk> trunks = FindTrunks(builder.Build());
  ASSERT_EQ(trunks.size(), 1u);
  EXPECT_EQ(trunks[0].joints.size(), Trunk::kMost);
}

TEST(BodyRoot, ColumnsMoveIfTheirValuesDiffer) {
  const std::vector<float> values = {1, 2, 3, 1, 2, 3.5, 1, 4, 3};
  EXPECT_EQ(MovingColumns(3, values), (std::vector<uint8_t>{0, 1, 1}));
  EXPECT_EQ(MovingColumns(3, {}), (std::vector<uint8_t>{0, 0, 0}));
  EXPECT_EQ(MovingColumns(0, {}), (std::vector<uint8_t>{}));
}

}  // namespace
}  // namespace bvhmill::testing
