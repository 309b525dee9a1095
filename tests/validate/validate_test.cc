// Each rule where it must speak, and where it must not.

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

#include "bvhmill/validate/checked_clip.h"
#include "tests/support/clips.h"
#include "tests/validate/checked_parts.h"
#include "tests/validate/issues.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Validate, APlainClipHasNoIssues) {
  EXPECT_THAT(IssuesOf(SmallLeg(5)), IsEmpty());
  EXPECT_THAT(IssuesOf(SmallLeg(0)), IsEmpty());
  EXPECT_THAT(IssuesOf({}), IsEmpty());
}

TEST(DuplicateName, SpeaksOncePerRepeat) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  builder.Joint(hips, "Leg", "zxy");
  builder.Joint(hips, "Leg", "zxy");
  builder.Joint(hips, "Leg", "zxy");
  builder.Root("Hips", "zxy");
  EXPECT_THAT(
      IssuesOf(ClipOf(builder, {1, 2, 3})),
      ElementsAre("SKELETON_DUPLICATE_NAME@2", "SKELETON_DUPLICATE_NAME@3",
                  "SKELETON_DUPLICATE_NAME@4"));
}

TEST(DuplicateName, IsSilentAboutCaseAndEndSites) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  builder.EndSite(hips);
  builder.EndSite(hips, "Tip");
  const int leg = builder.Joint(hips, "hips", "zxy");
  builder.EndSite(leg);
  builder.EndSite(leg, "Tip");
  EXPECT_THAT(IssuesOf(ClipOf(builder, {1, 2, 3})), IsEmpty());
}

TEST(DuplicateName, NamesTheFirst) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  builder.Joint(hips, "Leg", "zxy");
  builder.Joint(hips, "Leg", "zxy");
  const Report report = ReportOf(ClipOf(builder, {1}));
  ASSERT_EQ(report.issues.size(), 1);
  EXPECT_EQ(report.issues[0].message,
            "the name 'Leg' is already used by joint 1");
}

TEST(ZeroLengthBone, SpeaksOfJointsOnTheirParent) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy", {0, 0, 0});
  const int twist = builder.Joint(hips, "Twist", "zxy", {0, 0, 0});
  builder.EndSite(twist, "", {0, 0, 0});
  builder.Joint(hips, "Leg", "zxy", {0, 0, 0.001f});
  EXPECT_THAT(IssuesOf(ClipOf(builder, {1})),
              ElementsAre("SKELETON_ZERO_LENGTH_BONE@1"));
}

// Its positions say where it is.
TEST(ZeroLengthBone, IsSilentAboutJointsWithPositions) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy", {0, 0, 0});
  builder.Joint(hips, "Helper", "XYZzxy", {0, 0, 0});
  EXPECT_THAT(IssuesOf(ClipOf(builder, {1, 2, 3})), IsEmpty());
}

struct RootCase {
  std::string_view channels;
  std::vector<float> row;
  Offset offset;
  bool speaks;
};

TEST(RootOffsetAdditive, Table) {
  const RootCase cases[] = {
      {"XYZzxy", {0, 0, 0, 5, 6, 7}, {0, 90, 0}, true},
      {"zxyXYZ", {5, 6, 7, 0, 0, 0}, {0, 90, 0}, true},
      {"XYZzxy", {0, -0.0f, 0, 5, 6, 7}, {0, 90, 0}, true},
      // The positions stand on the OFFSET, or anywhere else.
      {"XYZzxy", {0, 90, 0, 5, 6, 7}, {0, 90, 0}, false},
      {"XYZzxy", {0, 1, 0, 5, 6, 7}, {0, 90, 0}, false},
      {"XYZzxy", {0, 0, 0, 5, 6, 7}, {0, 0, 0}, false},
      // No position channels, nothing to add.
      {"zxy", {0, 0, 0}, {0, 90, 0}, false},
  };
  for (const RootCase& c : cases) {
    SkeletonBuilder builder;
    builder.Joint(builder.Root("Hips", c.channels, c.offset), "Leg", "");
    const auto issues = IssuesOf(ClipOf(builder, c.row));
    EXPECT_EQ(issues.size(), c.speaks ? 1 : 0) << c.channels << c.row[1];
    if (c.speaks) {
      EXPECT_THAT(issues, ElementsAre("DATA_ROOT_OFFSET_ADDITIVE@0"));
    }
  }
}

TEST(RootOffsetAdditive, IsSilentIfTheOffsetIsAdded) {
  SkeletonBuilder builder;
  builder.Root("Hips", "XYZzxy", {0, 90, 0});
  const Clip clip = ClipOf(builder, {0, 0, 0, 5, 6, 7});
  EXPECT_THAT(IssuesOf(clip), ElementsAre("DATA_ROOT_OFFSET_ADDITIVE@0"));
  EXPECT_THAT(IssuesOf(clip, {}, {.root_offset = RootOffset::kAdded}),
              IsEmpty());
}

TEST(RootOffsetAdditive, LooksAtTheFirstFrameOnly) {
  SkeletonBuilder builder;
  builder.Root("Hips", "XYZ", {0, 90, 0});
  Clip clip = ClipOf(builder, {0, 0, 0});
  clip.motion.values[4] = 90;
  EXPECT_THAT(IssuesOf(clip), ElementsAre("DATA_ROOT_OFFSET_ADDITIVE@0"));
  clip.motion.values[1] = 90;
  EXPECT_THAT(IssuesOf(clip), IsEmpty());
}

TEST(RootOffsetAdditive, IsSilentWithoutFrames) {
  SkeletonBuilder builder;
  builder.Root("Hips", "XYZ", {0, 90, 0});
  EXPECT_THAT(IssuesOf(CountingClip(builder.Build(), 0)), IsEmpty());
}

// Hips and a chain of three joints with six channels each.
Clip SixChannelClip(const std::vector<Offset>& positions) {
  SkeletonBuilder builder;
  int joint = builder.Root("Hips", "XYZzxy", {0, 0, 0});
  std::vector<float> row = {0, 100, 0, 0, 0, 0};
  for (size_t i = 0; i < positions.size(); ++i) {
    joint = builder.Joint(joint, "J" + std::to_string(i), "XYZzxy", {0, 20, 0});
    row.insert(row.end(), positions[i].begin(), positions[i].end());
    row.insert(row.end(), {0, 0, 0});
  }
  builder.EndSite(joint);
  return ClipOf(builder, row);
}

TEST(JointPositions, OnTheOffsetsAreSilent) {
  EXPECT_THAT(IssuesOf(SixChannelClip({{0, 20, 0}, {0, 20, 0}, {0, 20, 0}})),
              IsEmpty());
  // Real bone lengths differ a little from the OFFSETs.
  EXPECT_THAT(
      IssuesOf(SixChannelClip({{0, 21, 0.5f}, {1, 19, 0}, {0, 20.5f, 0}})),
      IsEmpty());
}

TEST(JointPositions, AllZeroAreAdditive) {
  EXPECT_THAT(IssuesOf(SixChannelClip({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}})),
              ElementsAre("DATA_JOINT_POSITIONS_ADDITIVE@1"));
}

TEST(JointPositions, InTheWorldAreGlobal) {
  EXPECT_THAT(IssuesOf(SixChannelClip({{0, 120, 0}, {0, 140, 0}, {0, 160, 0}})),
              ElementsAre("DATA_JOINT_POSITIONS_GLOBAL@1"));
}

TEST(JointPositions, AreReadAsTheCallerStates) {
  const Conventions added = {.joint_positions = JointPositions::kAddToOffset};
  const Conventions ignored = {.joint_positions = JointPositions::kIgnore};
  const Clip zero = SixChannelClip({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
  EXPECT_THAT(IssuesOf(zero, {}, added), IsEmpty());
  EXPECT_THAT(IssuesOf(zero, {}, ignored), IsEmpty());
  const Clip global = SixChannelClip({{0, 120, 0}, {0, 140, 0}});
  EXPECT_THAT(IssuesOf(global, {}, added),
              ElementsAre("DATA_JOINT_POSITIONS_GLOBAL@1"));
  EXPECT_THAT(IssuesOf(global, {}, ignored), IsEmpty());
}

TEST(JointPositions, OfHalfTheJointsAreNoSign) {
  const Offset good = {0, 20, 0};
  EXPECT_THAT(IssuesOf(SixChannelClip({{0, 0, 0}, good})), IsEmpty());
  EXPECT_THAT(IssuesOf(SixChannelClip({{0, 0, 0}, good, {0, 0, 0}})),
              ElementsAre("DATA_JOINT_POSITIONS_ADDITIVE@1"));
  EXPECT_THAT(IssuesOf(SixChannelClip({good, {0, 120, 0}, good, {0, 160, 0}})),
              IsEmpty());
  EXPECT_THAT(IssuesOf(SixChannelClip({good, {0, 120, 0}, {0, 160, 0}})),
              ElementsAre("DATA_JOINT_POSITIONS_GLOBAL@2"));
  // One joint alone may stand there by chance.
  EXPECT_THAT(IssuesOf(SixChannelClip({{0, 120, 0}})), IsEmpty());
}

// The bone is 20 long and the root at (0, 100, 0).
TEST(JointPositions, AreGlobalFarFromTheOffsetAndNearerToTheRoot) {
  const struct {
    Offset position;
    bool speaks;
  } kCases[] = {
      {{0, 59, 0}, false},  {{0, 61, 0}, true},    {{0, 140, 0}, true},
      {{0, -30, 0}, false}, {{500, 60, 0}, false}, {{500, 61, 0}, true},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(IssuesOf(SixChannelClip({c.position, c.position})).size(),
              c.speaks ? 1 : 0)
        << c.position[0] << " " << c.position[1];
  }
}

// Without a bone there is nothing to be far from.
TEST(JointPositions, OfJointsOnTheirParentAreNotGlobal) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy", {0, 0, 0});
  for (const char* name : {"A", "B"}) {
    builder.Joint(hips, name, "XYZzxy", {0, 0, 0});
  }
  EXPECT_THAT(IssuesOf(ClipOf(builder, {0, 100, 0, 0, 0, 0,  //
                                        0, 90, 0, 0, 0, 0,   //
                                        0, 90, 0, 0, 0, 0})),
              IsEmpty());
}

// The joints of the second figure are near to its own root.
TEST(JointPositions, AreComparedWithTheRootOfTheirFigure) {
  SkeletonBuilder builder;
  builder.Root("First", "XYZzxy", {0, 0, 0});
  int joint = builder.Root("Second", "XYZzxy", {0, 0, 0});
  for (const char* name : {"A", "B"}) {
    joint = builder.Joint(joint, name, "XYZzxy", {0, 20, 0});
  }
  EXPECT_THAT(IssuesOf(ClipOf(builder, {-5000, 0,   0, 0, 0, 0,  //
                                        500,   100, 0, 0, 0, 0,  //
                                        500,   120, 0, 0, 0, 0,  //
                                        500,   140, 0, 0, 0, 0})),
              ElementsAre("DATA_JOINT_POSITIONS_GLOBAL@2"));
}

TEST(JointPositions, AreGlobalByTheFirstFrame) {
  Clip clip = SixChannelClip({{0, 120, 0}, {0, 140, 0}});
  const size_t columns = clip.skeleton.channels.size();
  ASSERT_GT(clip.motion.frames, 1);
  for (size_t i = columns; i < clip.motion.values.size(); ++i) {
    clip.motion.values[i] = 20;
  }
  EXPECT_THAT(IssuesOf(clip), ElementsAre("DATA_JOINT_POSITIONS_GLOBAL@1"));
}

TEST(JointPositions, WithoutFramesAreSilent) {
  Clip clip = SixChannelClip({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
  clip.motion.frames = 0;
  clip.motion.values.clear();
  EXPECT_THAT(IssuesOf(clip), IsEmpty());
}

TEST(JointPositions, NotFiniteAreNoSign) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(IssuesOf(SixChannelClip(
                  {{nan, nan, nan}, {nan, nan, nan}, {nan, nan, nan}})),
              IsEmpty());
}

TEST(SampleFrames, AreTheFirstAPowerOfTwoAndTheLast) {
  const std::array<std::array<int64_t, 4>, 6> cases = {{{1, 0, 0, 0},
                                                        {2, 0, 1, 1},
                                                        {3, 0, 2, 2},
                                                        {32, 0, 16, 31},
                                                        {33, 0, 32, 32},
                                                        {100, 0, 64, 99}}};
  for (const auto& [frames, first, power, last] : cases) {
    const Clip clip = SmallLeg(frames);
    CheckedParts parts(clip);
    EXPECT_THAT(SampleFrames(parts.checked()), ElementsAre(first, power, last));
  }
}

}  // namespace
}  // namespace bvhmill::testing
