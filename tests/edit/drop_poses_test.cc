// Joints that stay when others are dropped keep their poses in the world.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bvhmill/report/issue_log.h"
#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using Names = std::vector<std::string>;

// The index of each joint of `after` in `before`, by its name, which is its
// own.
std::vector<size_t> JointsBefore(const Skeleton& before,
                                 const Skeleton& after) {
  std::vector<size_t> out;
  for (const Node& node : after.nodes) {
    const auto found = std::find_if(
        before.nodes.begin(), before.nodes.end(), [&](const Node& other) {
          return !IsEndSite(other) && other.name == node.name;
        });
    out.push_back(static_cast<size_t>(found - before.nodes.begin()));
  }
  return out;
}

// Compares places, by shares of the size of the figure, and rotations.
void ExpectSamePoses(const Clip& after, const Clip& before,
                     const Conventions& conventions) {
  const auto joints = JointsBefore(before.skeleton, after.skeleton);
  const OracleClip was = OracleOf(before);
  const OracleClip is = OracleOf(after);
  for (size_t frame = 0; frame < was.frames; ++frame) {
    const OraclePose old_pose = SolveOracle(was, frame, conventions);
    const OraclePose new_pose = SolveOracle(is, frame, conventions);
    const double size = 1 + SizeOf(was, old_pose);
    for (size_t i = 0; i < joints.size(); ++i) {
      if (IsEndSite(after.skeleton.nodes[i])) continue;
      const Matrix4& a = new_pose.world[i];
      const Matrix4& b = old_pose.world[joints[i]];
      for (size_t row = 0; row < 3; ++row) {
        ASSERT_NEAR(a.at[row][3], b.at[row][3], 1e-5 * size)
            << after.skeleton.nodes[i].name << " in frame " << frame;
        for (size_t column = 0; column < 3; ++column) {
          ASSERT_NEAR(a.at[row][column], b.at[row][column], 1e-5)
              << after.skeleton.nodes[i].name << " in frame " << frame;
        }
      }
    }
  }
}

TEST(DropPoses, RandomJointsOfRandomFigures) {
  int moved = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Clip clip = RandomClip({}, 4, seed);
    std::mt19937_64 random(seed);
    const Conventions conventions = {
        random() % 2 == 0 ? JointPositions::kReplaceOffset
                          : JointPositions::kAddToOffset,
        random() % 2 == 0 ? RootOffset::kReplaced : RootOffset::kAdded};
    ClipEdits edits;
    for (const Node& node : clip.skeleton.nodes) {
      if (IsEndSite(node)) continue;
      if (node.parent >= 0 && random() % 3 == 0) {
        edits.drop.push_back(node.name);
      }
    }
    if (edits.drop.empty()) continue;
    const Clip after = Edited(edits, clip, conventions);
    ExpectSamePoses(after, clip, conventions);
    moved += after.skeleton.channels.size() > clip.skeleton.channels.size();
  }
  EXPECT_GT(moved, 10) << "figures that got position channels";
}

// A spine of three joints that bend, and an arm.
Clip BentSpine() {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  const int spine = builder.Joint(hips, "Spine", "zxy", {0, 10, 0});
  const int chest = builder.Joint(spine, "Chest", "zxy", {0, 10, 0});
  const int arm = builder.Joint(chest, "Arm", "zxy", {5, 8, 0});
  builder.EndSite(builder.Joint(arm, "Hand", "zxy", {20, 0, 0}));
  return WavingClip(builder.Build(), 30);
}

struct Outcome {
  Clip clip;
  std::vector<std::string> issues;
};

Outcome Dropped(Clip clip, const Names& joints, DropMode mode,
                const Conventions& conventions = {}) {
  ClipEdits edits;
  edits.drop = joints;
  edits.drop_mode = mode;
  IssueLog log({});
  EXPECT_TRUE(
      EditClip(edits, conventions, {}, nullptr, &clip, &log, nullptr).ok());
  Outcome out;
  out.clip = std::move(clip);
  for (const Issue& issue : log.Finish(true, true).issues) {
    out.issues.push_back((issue.severity == Severity::kWarning ? "w " : "i ") +
                         issue.code + " " + issue.location.joint_name);
  }
  return out;
}

std::string LettersOf(const Clip& clip, const std::string& name) {
  for (const Node& node : clip.skeleton.nodes) {
    if (node.name == name) return ChannelLetters(clip.skeleton, node);
  }
  return "absent";
}

TEST(DropPoses, AJointWhosePlaceChangesGetsPositions) {
  const Clip before = BentSpine();
  const auto [after, issues] =
      Dropped(before, {"Spine", "Chest"}, DropMode::kKeepPoses);
  EXPECT_THAT(issues, ::testing::ElementsAre("i EDIT_POSITIONS_ADDED "));
  EXPECT_EQ(LettersOf(after, "Arm"), "XYZzxy");
  EXPECT_EQ(LettersOf(after, "Hand"), "zxy");
  ExpectSamePoses(after, before, {});
}

// A bone of constant length that only turns: its child is where it was.
TEST(DropPoses, AConstantPlaceIsTheOffset) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  const int hinge = builder.Joint(hips, "Hinge", "zxy", {3, 0, 0});
  builder.EndSite(builder.Joint(hinge, "Leg", "zxy", {0, 0, 0}));
  const Clip before = WavingClip(builder.Build(), 20);
  const auto [after, issues] = Dropped(before, {"Hinge"}, DropMode::kKeepPoses);
  EXPECT_THAT(issues, ::testing::IsEmpty());
  EXPECT_EQ(LettersOf(after, "Leg"), "zxy");
  EXPECT_EQ(after.skeleton.nodes[1].offset, (Offset{3, 0, 0}));
  ExpectSamePoses(after, before, {});
}

TEST(DropPoses, AJointThatDoesNotTurnChangesNoBit) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  const int still = builder.Joint(hips, "Still", "XYZzxy", {3, 1, 0});
  builder.EndSite(builder.Joint(still, "Leg", "xy", {0, 2, 0}));
  Clip before = WavingClip(builder.Build(), 20);
  for (size_t frame = 0; frame < 20; ++frame) {
    float* row = before.motion.values.data() + frame * 14;
    const float rest[] = {3, 1, 0, 0, 0, 0};
    std::copy(std::begin(rest), std::end(rest), row + 6);
  }
  const auto [poses, issues] = Dropped(before, {"Still"}, DropMode::kKeepPoses);
  EXPECT_THAT(issues, ::testing::IsEmpty());
  ExpectSameClip(poses, Dropped(before, {"Still"}, DropMode::kRigid).clip);
  EXPECT_EQ(poses.motion.values[6], before.motion.values[12]);
}

TEST(DropPoses, TheMotionOfARootGoesToTheOneBelow) {
  SkeletonBuilder builder;
  const int top = builder.Root("Top", "XYZzxy", {1, 2, 3});
  builder.EndSite(builder.Joint(top, "Hips", "y", {0, 5, 0}));
  const Clip before = WavingClip(builder.Build(), 20);
  for (const RootOffset root : {RootOffset::kReplaced, RootOffset::kAdded}) {
    const Conventions conventions = {.root_offset = root};
    const auto [after, issues] =
        Dropped(before, {"Top"}, DropMode::kKeepPoses, conventions);
    EXPECT_EQ(LettersOf(after, "Hips"), "XYZzxy");
    ExpectSamePoses(after, before, conventions);
  }
}

TEST(DropPoses, RigidBonesSayHowFarTheyMove) {
  const Clip before = BentSpine();
  const auto [after, issues] =
      Dropped(before, {"Spine", "Chest"}, DropMode::kRigid);
  EXPECT_THAT(issues, ::testing::ElementsAre("w EDIT_DROP_MOVED Hand"));
  EXPECT_EQ(LettersOf(after, "Arm"), "zxy");
  // Positions that are ignored cannot keep a pose.
  const Conventions ignoring = {JointPositions::kIgnore};
  const auto [ignored, said] =
      Dropped(before, {"Spine", "Chest"}, DropMode::kKeepPoses, ignoring);
  EXPECT_EQ(said, issues);
  ExpectSameClip(ignored, after);
}

TEST(DropPoses, ASmallMoveIsNoWarning) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  const int spine = builder.Joint(hips, "Spine", "x", {0, 10, 0});
  builder.EndSite(builder.Joint(spine, "Chest", "zxy", {0, 10, 0}));
  Clip before = CountingClip(builder.Build(), 2);
  before.motion.values.assign(20, 0);
  // 11 x sin(0.5 degrees) = 0.1, of a reach of 21.
  before.motion.values[6] = 0.5F;
  EXPECT_THAT(Dropped(before, {"Spine"}, DropMode::kRigid).issues,
              ::testing::ElementsAre("i EDIT_DROP_MOVED Chest_End"));
}

}  // namespace
}  // namespace bvhmill::testing
