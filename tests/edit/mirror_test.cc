// A mirrored clip: each joint is at the mirrored place of its counterpart.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/report/issue_log.h"
#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

// How the axes of the joints of a figure are turned in its rest pose.
enum class Axes { kWorld, kAlongBones, kPointed };

// A body with the names of Mixamo. kAlongBones: X goes along each bone, and Z
// to the side. kPointed: the right side has the OFFSETs of the left side with
// all signs changed.
Skeleton Body(Axes axes, std::string_view channels = "zxy") {
  // OFFSET of a joint of the left side and of the right side.
  const auto at = [axes](float x, float y, float z, float side) -> Offset {
    // 0 + x is never -0.
    if (axes == Axes::kWorld) return {0 + side * x, y, z};
    if (axes == Axes::kAlongBones) return {y, z, 0 + side * x};
    return {0 + side * x, 0 + side * y, 0 + side * z};
  };
  const auto middle = [axes](float y) -> Offset {
    return axes == Axes::kAlongBones ? Offset{y, 0, 0} : Offset{0, y, 0};
  };
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  const int spine = builder.Joint(hips, "Spine", channels, middle(10));
  const int chest = builder.Joint(spine, "Spine1", channels, middle(12));
  const int neck = builder.Joint(chest, "Neck", channels, middle(20));
  builder.EndSite(builder.Joint(neck, "Head", channels, middle(8)), "",
                  middle(15));
  for (const bool is_left : {true, false}) {
    const std::string name = is_left ? "Left" : "Right";
    const float side = is_left ? 1 : -1;
    // The joints of the trunk have a plane between left and right.
    const Offset shoulder =
        axes == Axes::kPointed ? Offset{side * 12, 15, 1} : at(12, 15, 1, side);
    const int arm = builder.Joint(chest, name + "Arm", channels, shoulder);
    const int forearm =
        builder.Joint(arm, name + "ForeArm", channels, at(25, -2, 1, side));
    const int hand =
        builder.Joint(forearm, name + "Hand", channels, at(22, 0, 3, side));
    builder.EndSite(hand, "", at(9, 1, 0, side));
  }
  for (const bool is_left : {true, false}) {
    const std::string name = is_left ? "Left" : "Right";
    const float side = is_left ? 1 : -1;
    const Offset hip =
        axes == Axes::kPointed ? Offset{side * 9, -5, 0} : at(9, -5, 0, side);
    const int leg = builder.Joint(hips, name + "UpLeg", channels, hip);
    const int knee =
        builder.Joint(leg, name + "Leg", channels, at(1, -40, 2, side));
    const int foot =
        builder.Joint(knee, name + "Foot", channels, at(0, -38, -2, side));
    builder.EndSite(foot, "", at(0, -4, 10, side));
  }
  return builder.Build();
}

Clip Mirrored(const Clip& clip, const Conventions& conventions = {}) {
  ClipEdits edits;
  edits.mirror = true;
  return Edited(edits, clip, conventions);
}

// The path of the counterpart.
std::string OtherPath(std::string path) {
  const std::string kMark = "*";
  for (size_t at = 0; (at = path.find("Left", at)) != path.npos;) {
    path.replace(at, 4, kMark);
  }
  for (size_t at = 0; (at = path.find("Right", at)) != path.npos;) {
    path.replace(at, 5, "Left");
  }
  for (size_t at = 0; (at = path.find(kMark, at)) != path.npos;) {
    path.replace(at, 1, "Right");
  }
  return path;
}

void ExpectMirrorImage(const Clip& after, const Clip& before) {
  const std::vector<std::string> paths = PathsOf(before.skeleton);
  ASSERT_EQ(PathsOf(after.skeleton), paths);
  const auto was = WorldOf(before);
  const auto is = WorldOf(after);
  for (size_t node = 0; node < paths.size(); ++node) {
    const auto found =
        std::find(paths.begin(), paths.end(), OtherPath(paths[node]));
    ASSERT_NE(found, paths.end());
    const auto other = static_cast<size_t>(found - paths.begin());
    for (size_t frame = 0; frame < was.size(); ++frame) {
      EXPECT_NEAR(is[frame][node][0], -was[frame][other][0], 2e-3);
      EXPECT_NEAR(is[frame][node][1], was[frame][other][1], 2e-3);
      EXPECT_NEAR(is[frame][node][2], was[frame][other][2], 2e-3);
    }
  }
}

TEST(Mirror, PutsEachJointWhereItsCounterpartWasInTheMirror) {
  for (const Axes axes : {Axes::kWorld, Axes::kAlongBones, Axes::kPointed}) {
    for (const char* channels : {"zxy", "xyz", "yxy", "XYZzxy", "x", ""}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(axes)) + channels);
      const Clip clip = WavingClip(Body(axes, channels), 12);
      const Clip mirrored = Mirrored(clip);
      ExpectMirrorImage(mirrored, clip);
      ExpectMirrorImage(Mirrored(mirrored), mirrored);
      // A symmetric figure stays as it is.
      for (size_t i = 0; i < clip.skeleton.nodes.size(); ++i) {
        EXPECT_EQ(mirrored.skeleton.nodes[i].offset,
                  clip.skeleton.nodes[i].offset)
            << clip.skeleton.nodes[i].name;
      }
    }
  }
}

TEST(Mirror, TwiceIsTheClip) {
  const Clip clip = WavingClip(Body(Axes::kWorld), 12);
  ExpectSameClip(Mirrored(Mirrored(clip)), clip);
  for (const Axes axes : {Axes::kAlongBones, Axes::kPointed}) {
    const Clip other = WavingClip(Body(axes), 12);
    const auto was = WorldOf(other);
    const auto is = WorldOf(Mirrored(Mirrored(other)));
    for (size_t frame = 0; frame < was.size(); ++frame) {
      for (size_t node = 0; node < was[frame].size(); ++node) {
        for (size_t i = 0; i < 3; ++i) {
          EXPECT_NEAR(is[frame][node][i], was[frame][node][i], 2e-3);
        }
      }
    }
  }
}

// OFFSETs of left and right that differ are exchanged.
TEST(Mirror, AFigureThatIsNotSymmetricIsMirrored) {
  Skeleton skeleton = Body(Axes::kWorld);
  for (Node& node : skeleton.nodes) {
    if (node.name == "LeftHand") node.offset = {30, 1, 0};
  }
  const Clip clip = WavingClip(skeleton, 12);
  const Clip mirrored = Mirrored(clip);
  ExpectMirrorImage(mirrored, clip);
  for (const Node& node : mirrored.skeleton.nodes) {
    if (node.name == "RightHand") {
      EXPECT_EQ(node.offset, (Offset{-30, 1, 0}));
    }
  }
  ExpectSameClip(Mirrored(mirrored), clip);
}

TEST(Mirror, JointsWithoutACounterpartAreNamed) {
  Skeleton skeleton = Body(Axes::kWorld);
  for (Node& node : skeleton.nodes) {
    if (node.name == "RightForeArm") node.name = "Extra";
  }
  Clip clip = WavingClip(skeleton, 4);
  ClipEdits edits;
  edits.mirror = true;
  IssueLog log({});
  ASSERT_TRUE(EditClip(edits, {}, {}, nullptr, &clip, &log, nullptr).ok());
  const Report report = log.Finish(true, true);
  ASSERT_EQ(report.issues.size(), 1);
  EXPECT_EQ(report.issues[0].code, "EDIT_NOT_MIRRORED");
  EXPECT_THAT(report.issues[0].message, ::testing::HasSubstr("'LeftForeArm'"));
  EXPECT_THAT(report.issues[0].message, ::testing::HasSubstr("'Extra'"));
}

TEST(Mirror, NamesOfNoBodyAreReadByTheirWords) {
  for (const auto& [left, right] :
       {std::pair{"LeftFin", "RightFin"}, std::pair{"fin_l", "fin_r"},
        std::pair{"L_fin", "R_fin"}, std::pair{"LFin", "RFin"},
        std::pair{"fin.L", "fin.R"}}) {
    SkeletonBuilder builder;
    const int root = builder.Root("Fish", "XYZzxy");
    builder.Joint(root, left, "zxy", {1, 0, 2});
    builder.Joint(root, right, "zxy", {-1, 0, 2});
    const Clip clip = WavingClip(builder.Build(), 3);
    const Clip mirrored = Mirrored(clip);
    // The x rotation of one fin is that of the other.
    EXPECT_EQ(mirrored.motion.values[7], clip.motion.values[10]) << left;
    EXPECT_EQ(mirrored.motion.values[6], -clip.motion.values[9]) << left;
  }
}

TEST(Mirror, AFigureWithoutSidesIsRefused) {
  SkeletonBuilder builder;
  builder.Joint(builder.Root("Rod", "XYZzxy"), "Cool", "zxy");
  ClipEdits edits;
  edits.mirror = true;
  EXPECT_EQ(MessageOf(StatusOfEdit(edits, WavingClip(builder.Build(), 3))),
            "options.edits.mirror: no left and right joints are found by "
            "their names");
}

}  // namespace
}  // namespace bvhmill::testing
