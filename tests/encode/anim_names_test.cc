// Names of joints in the output .anim: those that are not UTF-8, and maps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/base/text.h"
#include "bvhmill/encode/anim_target.h"
#include "tests/encode/encode_support.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

// Two joints below a root, which turn.
Clip Turning(const std::string& root, const std::string& a,
             const std::string& b, std::string_view channels = "zxy") {
  SkeletonBuilder builder;
  const int top = builder.Root(root, "XYZzxy", {0, 40, 0});
  const int first = builder.Joint(top, a, channels, {0, 20, 0});
  builder.EndSite(builder.Joint(first, b, channels, {0, 20, 0}));
  Clip clip = CountingClip(builder.Build(), 20);
  clip.motion.frame_time = 1.0 / 30;
  return clip;
}

std::vector<std::string> JointsOf(const Encoded& encoded) {
  EXPECT_TRUE(encoded.status.ok()) << encoded.status;
  IssueLog log({});
  std::vector<std::string> names;
  for (const AnimJoint& joint :
       ReadAnim(encoded.bytes, {}, &log).motion.joints) {
    names.push_back(joint.name);
  }
  return names;
}

// "hips" and "chest" in Japanese, as Shift-JIS and as UTF-8.
constexpr char kHipsSjis[] = "\x8D\x98";
constexpr char kChestSjis[] = "\x8B\xB9";
constexpr char kHips[] = "\u8170";
constexpr char kChest[] = "\u80F8";

TEST(AnimNames, AMapMeansNamesAsTheyAreShown) {
  AnimFormat format;
  format.accept_odd = true;
  format.joint_map_rows = {{kHips, "mPelvis"}, {kChest, "mTorso"}};
  const std::vector<std::string> expected = {"mPelvis", "mTorso"};
  EXPECT_EQ(JointsOf(Encode(Turning(kHips, kChest, "x"), format)), expected);
  ASSERT_EQ(ToUtf8(kHipsSjis), kHips);
  EXPECT_EQ(JointsOf(Encode(Turning(kHipsSjis, kChestSjis, "x"), format)),
            expected);
}

TEST(AnimNames, ANumberedNameOfAMapMeansOneJoint) {
  AnimFormat format;
  format.accept_odd = true;
  format.joint_map_rows = {
      {"a", "mPelvis"}, {"a#2", "mTorso"}, {"ns:b", "mHead"}, {"b", "mChest"}};
  EXPECT_THAT(JointsOf(Encode(Turning("a", "a", "ns:b"), format)),
              ::testing::UnorderedElementsAre("mPelvis", "mTorso", "mHead"));
}

TEST(AnimNames, IssuesShowNamesThatAreNotUtf8) {
  AnimFormat format;
  format.profile = AnimProfile::kViewer;
  format.accept_odd = true;
  const Encoded encoded =
      Encode(Turning("hip", "br\xE9", "head", "XYZzxy"), format);
  ASSERT_FALSE(encoded.report.issues.empty());
  for (const Issue& issue : encoded.report.issues) {
    EXPECT_TRUE(IsUtf8(issue.location.joint_name)) << issue.code;
    if (issue.code != "ANIM_JOINT_UNKNOWN") continue;
    EXPECT_EQ(issue.location.joint, 1);
  }
}

// Bones of the avatar in a row, and joints of other names below the last one.
Clip Known(int bones, int joints) {
  static constexpr const char* kBones[] = {
      "mPelvis", "mTorso",   "mChest",        "mNeck",
      "mHead",   "mHipLeft", "mShoulderLeft", "mHipRight"};
  SkeletonBuilder builder;
  int last = builder.Root(kBones[0], "XYZzxy", {0, 40, 0});
  for (int i = 1; i < bones; ++i) {
    last = builder.Joint(last, kBones[i], "zxy", {0, 20, 0});
  }
  for (int i = bones; i < joints; ++i) {
    builder.Joint(last, "x" + std::to_string(i), "zxy");
  }
  Clip clip = CountingClip(builder.Build(), 3);
  clip.motion.frame_time = 1.0 / 30;
  return clip;
}

// Names of joints that the viewer refuses, as the issue about them lists them.
TEST(AnimNames, TenRefusedJointsAreNamed) {
  AnimFormat format;
  format.profile = AnimProfile::kViewer;
  for (const int refused : {9, 10, 11, 12}) {
    std::string names = "'x1'";
    for (int i = 2; i <= std::min(refused, 10); ++i) {
      names += ", 'x" + std::to_string(i) + "'";
    }
    if (refused > 10) names += ", ...";
    const Encoded encoded = Encode(Known(1, 1 + refused), format);
    EXPECT_TRUE(absl::IsFailedPrecondition(encoded.status));
    const auto& issues = encoded.report.issues;
    const auto issue = std::find_if(
        issues.begin(), issues.end(),
        [](const Issue& i) { return i.code == "ANIM_JOINT_REFUSED"; });
    ASSERT_NE(issue, issues.end());
    EXPECT_EQ(issue->args.at(0).second, names);
    EXPECT_EQ(issue->occurrences, refused);
  }
}

// The report of a check for the output.
Report CheckOf(const Clip& clip, const AnimFormat& format) {
  IssueLog log({});
  EncodeContext context;
  context.clip = &clip;
  context.log = &log;
  CheckAnimTarget(format, context);
  return log.Finish(true, true);
}

// The code of the first issue; "" without one.
std::string CodeOf(const Clip& clip, const AnimFormat& format) {
  const Report report = CheckOf(clip, format);
  return report.issues.empty() ? "" : report.issues[0].code;
}

// docs/formats/anim.md: fewer than eight bones, and less than a quarter of the
// joints.
TEST(AnimNames, FewBonesOfManyJointsAreRefused) {
  constexpr char kFew[] = "TARGET_ANIM_FEW_JOINTS";
  EXPECT_EQ(CodeOf(Known(1, 4), {}), "");
  EXPECT_EQ(CodeOf(Known(1, 5), {}), kFew);
  EXPECT_EQ(CodeOf(Known(7, 28), {}), "");
  EXPECT_EQ(CodeOf(Known(7, 29), {}), kFew);
  EXPECT_EQ(CodeOf(Known(8, 33), {}), "");
  AnimFormat meant;
  meant.accept_odd = true;
  EXPECT_EQ(CodeOf(Known(1, 5), meant), "");
  meant = {};
  meant.joint_map_rows = {{"mPelvis", "mPelvis"}};
  EXPECT_EQ(CodeOf(Known(1, 5), meant), "");
}

// Messages of the issue about several figures; "" without one.
std::string FiguresOf(const std::vector<std::string>& roots) {
  SkeletonBuilder builder;
  for (const std::string& root : roots) {
    const int node = builder.Root(root, "XYZzxy", {0, 40, 0});
    builder.EndSite(builder.Joint(node, root + "_child", "zxy"), "");
  }
  Clip clip = CountingClip(builder.Build(), 3);
  AnimFormat format;
  format.accept_odd = true;
  for (const Issue& issue : CheckOf(clip, format).issues) {
    if (issue.code == "TARGET_ANIM_FIGURES") return issue.message;
  }
  return "";
}

TEST(AnimNames, TheFigureThatIsUsedIsNamed) {
  EXPECT_EQ(FiguresOf({"mPelvis"}), "");
  EXPECT_EQ(FiguresOf({"mPelvis", "mPelvis"}),
            "the clip has 2 roots, and an .anim moves one figure: that of root "
            "1, 'mPelvis'");
  EXPECT_EQ(FiguresOf({"Box", "mPelvis", "Ball"}),
            "the clip has 3 roots, and an .anim moves one figure: that of root "
            "2, 'mPelvis'");
}

// Names of LAFAN1 and of Mixamo; the first map of both is chosen.
Skeleton Spine(int joints) {
  static constexpr const char* kNames[] = {"Hips", "Spine", "Spine1", "Spine2",
                                           "Neck"};
  SkeletonBuilder builder;
  int last = builder.Root(kNames[0], "XYZzxy");
  for (int i = 1; i < joints; ++i) last = builder.Joint(last, kNames[i], "zxy");
  return builder.Build();
}

TEST(AnimNames, AMapIsRecognizedByFourBones) {
  for (const int bones : {3, 4, 5}) {
    const AvatarNaming naming = NameAvatarJoints({}, Spine(bones));
    EXPECT_EQ(naming.map, bones < 4 ? "" : "lafan1") << bones;
    EXPECT_EQ(naming.bones, bones < 4 ? 0 : bones);
  }
}

// With a map, joints that it does not name keep their own names: it drives as
// many bones.
TEST(AnimNames, AMapMustDriveMoreBonesThanTheirOwnNamesDo) {
  const AvatarNaming naming = NameAvatarJoints({}, Known(8, 8).skeleton);
  EXPECT_EQ(naming.map, "");
  EXPECT_EQ(naming.bones, 8);
}

}  // namespace
}  // namespace bvhmill::testing
