// Dropping, keeping and renaming joints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using Names = std::vector<std::string>;

// Hips with two legs; the name Toe is used twice.
Skeleton Legs(std::string_view joint_channels = "zxy") {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  for (const char* side : {"Left", "Right"}) {
    const std::string name = side;
    const float x = name == "Left" ? 1 : -1;
    const int leg =
        builder.Joint(hips, name + "Leg", joint_channels, {x, -1, 0});
    const int foot =
        builder.Joint(leg, name + "Foot", joint_channels, {x, -2, 0.5F});
    const int toe = builder.Joint(foot, "Toe", joint_channels, {0, -3, 1});
    builder.EndSite(toe, "", {0, 0, 4});
  }
  return builder.Build();
}

struct JointsCase {
  Names drop;
  Names keep;
  Names paths;
};

TEST(DropJoints, RemainingJoints) {
  const JointsCase kCases[] = {
      {{"LeftLeg"},
       {},
       {"Hips", "Hips>LeftFoot", "Hips>LeftFoot>Toe", "Hips>LeftFoot>Toe>-",
        "Hips>RightLeg", "Hips>RightLeg>RightFoot",
        "Hips>RightLeg>RightFoot>Toe", "Hips>RightLeg>RightFoot>Toe>-"}},
      {{"Toe"},
       {},
       {"Hips", "Hips>LeftLeg", "Hips>LeftLeg>LeftFoot",
        "Hips>LeftLeg>LeftFoot>-", "Hips>RightLeg", "Hips>RightLeg>RightFoot",
        "Hips>RightLeg>RightFoot>-"}},
      {{"Toe#2", "Left*"},
       {},
       {"Hips", "Hips>Toe", "Hips>Toe>-", "Hips>RightLeg",
        "Hips>RightLeg>RightFoot", "Hips>RightLeg>RightFoot>-"}},
      {{"Right*", "Toe"},
       {},
       {"Hips", "Hips>LeftLeg", "Hips>LeftLeg>LeftFoot",
        "Hips>LeftLeg>LeftFoot>-"}},
      {{}, {"Hips"}, {"Hips", "Hips>-"}},
      {{}, {"Hips", "*Foot", "Toe#1"}, {}},
      {{}, {"Hips", "Toe#1"}, {"Hips", "Hips>Toe", "Hips>Toe>-"}},
      {{"Toe"},
       {"Hips", "Left*"},
       {"Hips", "Hips>LeftLeg", "Hips>LeftLeg>LeftFoot",
        "Hips>LeftLeg>LeftFoot>-"}},
      {{}, {"LeftLeg"}, {"LeftLeg", "LeftLeg>-"}},
      {{"Hips", "Right*", "Toe#2"},
       {},
       {"LeftLeg", "LeftLeg>LeftFoot", "LeftLeg>LeftFoot>Toe",
        "LeftLeg>LeftFoot>Toe>-"}},
  };
  for (const JointsCase& c : kCases) {
    ClipEdits edits;
    edits.drop = c.drop;
    edits.keep = c.keep;
    Clip clip = CountingClip(Legs(), 2);
    // Stars stand at the end only.
    if (c.paths.empty()) {
      EXPECT_FALSE(StatusOfEdit(edits, clip).ok());
      continue;
    }
    EXPECT_EQ(PathsOf(Edited(edits, clip).skeleton), c.paths);
  }
}

// A name that is not UTF-8 is shown as text: here Shift-JIS, then Latin-1.
TEST(DropJoints, ByTheNameThatIsShownOrItsBytes) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  builder.Joint(hips, "\x8d\xb6\x98\x72", "zxy", {1, 0, 0});
  builder.Joint(hips, "caf\xe9", "zxy", {2, 0, 0});
  builder.Joint(hips, "caf\xc3\xa9", "zxy", {3, 0, 0});
  const Clip clip = CountingClip(builder.Build(), 2);
  struct Case {
    std::string pattern;
    // X of the offsets of joints that stay.
    std::vector<float> left;
  };
  const Case kCases[] = {
      {"\xe5\xb7\xa6\xe8\x85\x95", {2, 3}},
      {"\x8d\xb6\x98\x72", {2, 3}},
      {"\xe5\xb7\xa6*", {2, 3}},
      {"caf\xc3\xa9", {1}},
      {"caf\xe9", {1}},
      {"caf\xc3\xa9#1", {1, 3}},
      {"caf\xc3\xa9#2", {1, 2}},
      {"caf*", {1}},
  };
  for (const Case& c : kCases) {
    ClipEdits edits;
    edits.drop = {c.pattern};
    std::vector<float> left;
    for (const Node& node : Edited(edits, clip).skeleton.nodes) {
      if (node.parent >= 0 && !IsEndSite(node)) left.push_back(node.offset[0]);
    }
    EXPECT_EQ(left, c.left) << c.pattern;
  }
  ClipEdits edits;
  edits.drop = {"caf"};
  EXPECT_FALSE(StatusOfEdit(edits, clip).ok());
}

// Two figures whose joints have the same names.
Clip TwoFigures() {
  SkeletonBuilder builder;
  for (const float x : {1.0F, 2.0F}) {
    const int hips = builder.Root("Hips", "XYZzxy", {x, 0, 0});
    builder.EndSite(builder.Joint(hips, "Leg", "zxy", {x, -1, 0}), "");
  }
  return CountingClip(builder.Build(), 2);
}

TEST(Figure, OneTreeIsKept) {
  for (const int32_t figure : {1, 2}) {
    ClipEdits edits;
    edits.figure = figure;
    edits.rename = {{"Leg", "Foot"}};
    const Clip clip = Edited(edits, TwoFigures());
    EXPECT_EQ(PathsOf(clip.skeleton),
              (Names{"Hips", "Hips>Foot", "Hips>Foot>-"}));
    EXPECT_EQ(clip.skeleton.nodes[0].offset[0], static_cast<float>(figure));
    // Each figure has nine columns.
    ASSERT_EQ(clip.motion.values.size(), 18);
    EXPECT_EQ(clip.motion.values[0], 9 * (figure - 1));
    EXPECT_EQ(clip.motion.values[17], 1000 + 9 * figure - 1);
  }
}

TEST(Figure, MustBeOneOfTheClip) {
  ClipEdits edits;
  edits.figure = 3;
  EXPECT_EQ(MessageOf(StatusOfEdit(edits, TwoFigures())),
            "options.edits.figure: is 3; the clip has only 2 roots");
}

TEST(Figure, NoJointMayBeLeft) {
  ClipEdits edits;
  edits.figure = 2;
  edits.drop = {"Hips", "Leg"};
  EXPECT_EQ(MessageOf(StatusOfEdit(edits, TwoFigures())),
            "options.edits.drop: no joint would be left");
}

TEST(DropJoints, RigidOffsetsAddUpAndColumnsGo) {
  ClipEdits edits;
  edits.drop_mode = DropMode::kRigid;
  edits.drop = {"LeftLeg", "LeftFoot", "RightFoot", "Toe#2"};
  const Clip before = CountingClip(Legs(), 2);
  const Clip after = Edited(edits, before);
  ASSERT_EQ(after.skeleton.nodes.size(), 5);
  EXPECT_EQ(after.skeleton.nodes[1].name, "Toe");
  EXPECT_EQ(after.skeleton.nodes[1].offset, (Offset{2, -6, 1.5F}));
  EXPECT_EQ(after.skeleton.nodes[2].offset, (Offset{0, 0, 4}));
  EXPECT_EQ(after.skeleton.nodes[4].offset, (Offset{-1, -2, 0.5F}));
  // Hips 0-5, the left toe 12-14, the right leg 15-17.
  const std::vector<float> row = {0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17};
  for (size_t i = 0; i < row.size(); ++i) {
    EXPECT_EQ(after.motion.values[i], row[i]);
    EXPECT_EQ(after.motion.values[row.size() + i], 1000 + row[i]);
  }
}

TEST(DropJoints, ADroppedRootMustLeaveOneJointBelowIt) {
  ClipEdits edits;
  edits.drop = {"Hips"};
  const absl::Status status = StatusOfEdit(edits, CountingClip(Legs(), 1));
  EXPECT_EQ(MessageOf(status),
            "options.edits.drop: the root 'Hips' cannot be dropped: "
            "more than one joint would be left below it");
}

// One of two figures can go.
TEST(DropJoints, ARefusalShowsTheNameOfTheRoot) {
  SkeletonBuilder builder;
  const int root = builder.Root("R\xFF\x1B[31m", "xyz");
  builder.Joint(root, "A", "xyz");
  builder.Joint(root, "B", "xyz");
  ClipEdits edits;
  edits.keep = {"A", "B"};
  const std::string message(
      MessageOf(StatusOfEdit(edits, CountingClip(builder.Build(), 1))));
  EXPECT_THAT(message, ::testing::HasSubstr("cannot be dropped"));
  EXPECT_TRUE(IsUtf8(message)) << message;
  EXPECT_EQ(message.find('\x1B'), std::string::npos) << message;
}

TEST(DropJoints, AWholeTreeMayBeDropped) {
  SkeletonBuilder builder;
  builder.Joint(builder.Root("A", "XYZ"), "AA", "x");
  builder.Joint(builder.Root("B", "XYZ"), "BB", "y");
  ClipEdits edits;
  edits.drop = {"A*"};
  const Clip after = Edited(edits, CountingClip(builder.Build(), 2));
  EXPECT_EQ(PathsOf(after.skeleton), (Names{"B", "B>BB"}));
  EXPECT_EQ(after.motion.values[0], 4);
}

// Dropping a joint that does not turn moves no other joint, in each reading of
// its children's position channels.
TEST(DropJoints, OtherJointsDoNotMove) {
  for (const char* channels : {"zxy", "XYZzxy", "Yzxy"}) {
    for (const auto joints :
         {JointPositions::kReplaceOffset, JointPositions::kAddToOffset,
          JointPositions::kIgnore}) {
      for (const auto root : {RootOffset::kReplaced, RootOffset::kAdded}) {
        SkeletonBuilder builder;
        const int top = builder.Root("Top", "", {1, 2, 3});
        const int hips = builder.Joint(top, "Hips", channels, {4, 5, 6});
        const int still = builder.Joint(hips, "Still", "", {7, 8, 9});
        const int foot = builder.Joint(still, "Foot", channels, {1, 0, 1});
        builder.EndSite(foot, "", {0, 0, 4});
        const Clip clip = WavingClip(builder.Build(), 4);
        const Conventions conventions = {joints, root};
        ClipEdits edits;
        edits.drop = {"Top", "Still"};
        const Clip after = Edited(edits, clip, conventions);
        ASSERT_EQ(PathsOf(after.skeleton),
                  (Names{"Hips", "Hips>Foot", "Hips>Foot>-"}));
        const auto was = WorldOf(clip, conventions);
        const auto is = WorldOf(after, conventions);
        const size_t kOld[] = {1, 3, 4};
        for (size_t frame = 0; frame < was.size(); ++frame) {
          for (size_t node = 0; node < 3; ++node) {
            for (size_t i = 0; i < 3; ++i) {
              EXPECT_NEAR(is[frame][node][i], was[frame][kOld[node]][i], 1e-3)
                  << channels << node;
            }
          }
        }
      }
    }
  }
}

// The positions of the new root were ignored, and it stood at its OFFSET.
TEST(DropJoints, IgnoredPositionsAreNotReadEvenIfTheyAreNotFinite) {
  SkeletonBuilder builder;
  const int top = builder.Root("Top", "zxy", {1, 2, 3});
  builder.Joint(top, "Hips", "XYZ", {4, 5, 6});
  Clip clip = CountingClip(builder.Build(), 2);
  clip.motion.values[3] = NAN;
  clip.motion.values[10] = INFINITY;
  ClipEdits edits;
  edits.drop = {"Top"};
  const Clip after = Edited(edits, clip, {JointPositions::kIgnore});
  EXPECT_THAT(after.motion.values, ::testing::ElementsAre(5, 7, 9, 5, 7, 9));
}

// Random joints of random figures: what is kept keeps its values and order.
TEST(DropJoints, RandomFigures) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Clip clip = RandomClip({}, 2, seed);
    std::mt19937_64 random(seed);
    ClipEdits edits;
    Names kept;
    for (const Node& node : clip.skeleton.nodes) {
      if (IsEndSite(node)) continue;
      const bool drops = node.parent >= 0 && random() % 3 == 0;
      (drops ? edits.drop : kept).push_back(node.name);
    }
    // Values of positions move, so look at names and rotations only.
    const Clip after = Edited(edits, clip);
    Names names;
    for (size_t i = 0; i < after.skeleton.nodes.size(); ++i) {
      const Node& node = after.skeleton.nodes[i];
      ASSERT_LT(node.parent, static_cast<int32_t>(i));
      if (!IsEndSite(node)) names.push_back(node.name);
    }
    EXPECT_EQ(names, kept);
    ClipEdits keep;
    keep.keep = kept;
    ExpectSameClip(Edited(keep, clip), after);
  }
}

TEST(RenameJoints, AllAtOnce) {
  ClipEdits edits;
  edits.rename = {{"LeftLeg", "RightLeg"},
                  {"RightLeg", "LeftLeg"},
                  {"Toe#2", "RightToe"},
                  {"Hips", "The Root"}};
  const Clip after = Edited(edits, CountingClip(Legs(), 1));
  EXPECT_EQ(
      PathsOf(after.skeleton),
      (Names{"The Root", "The Root>RightLeg", "The Root>RightLeg>LeftFoot",
             "The Root>RightLeg>LeftFoot>Toe",
             "The Root>RightLeg>LeftFoot>Toe>-", "The Root>LeftLeg",
             "The Root>LeftLeg>RightFoot",
             "The Root>LeftLeg>RightFoot>RightToe",
             "The Root>LeftLeg>RightFoot>RightToe>-"}));
}

TEST(RenameJoints, AllOfOneNameAndNamesWithNumberSigns) {
  SkeletonBuilder builder;
  const int a = builder.Root("A#2", "x");
  const int b = builder.Joint(a, "A", "x");
  builder.Joint(b, "A", "x");
  ClipEdits edits;
  edits.rename = {{"A#2", "real"}, {"A", "both"}};
  const Clip after = Edited(edits, CountingClip(builder.Build(), 1));
  EXPECT_EQ(PathsOf(after.skeleton),
            (Names{"real", "real>both", "real>both>both"}));
}

}  // namespace
}  // namespace bvhmill::testing
