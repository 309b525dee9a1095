// The verdict of the viewer's import on clips that ReadBvh has read.

#include <gtest/gtest.h>

#include "bvhmill/anim/viewer/viewer_import.h"
#include "bvhmill/anim/viewer/viewer_loader.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

Clip ClipOf(const SkeletonBuilder& builder) {
  return CountingClip(builder.Build(), 4);
}

ViewerStatus StatusOf(const Clip& clip) {
  ViewerTake take;
  int32_t node = 0;
  return TakeFromClip(clip, &take, &node);
}

TEST(ViewerTake, Refusals) {
  struct {
    std::string_view root, root_channels, joint, joint_channels;
    ViewerStatus status;
  } constexpr kCases[] = {
      {"hip", "XYZzxy", "abdomen", "zxy", ViewerStatus::kOk},
      {"mPelvis", "zxy", "anybody", "XYZzxy", ViewerStatus::kOk},
      {" hip of it", "XYZzxy", "abdomen", "zxyijk", ViewerStatus::kOk},
      {"Hips", "XYZzxy", "abdomen", "zxy", ViewerStatus::kBadRoot},
      {"", "XYZzxy", "abdomen", "zxy", ViewerStatus::kNoName},
      {"hip", "XYZzx", "abdomen", "zxy", ViewerStatus::kNoRotation},
      {"hip", "XYZzxy", "abdomen", "", ViewerStatus::kNoRotation},
      // Nine are asked for, and there are nine; only three are taken.
      {"hip", "zxy", "abdomen", "zxyXYZijk", ViewerStatus::kOk},
  };
  for (const auto& c : kCases) {
    SkeletonBuilder builder;
    const int root = builder.Root(std::string(c.root), c.root_channels);
    const int joint =
        builder.Joint(root, std::string(c.joint), c.joint_channels);
    builder.EndSite(joint);
    EXPECT_EQ(ViewerStatusName(StatusOf(ClipOf(builder))),
              ViewerStatusName(c.status))
        << c.root << " " << c.joint_channels;
  }
}

TEST(ViewerTake, ARefusalIsAnIssueWithTheJoint) {
  SkeletonBuilder builder;
  const int root = builder.Root("hip", "XYZzxy");
  builder.EndSite(builder.Joint(root, "abdomen", "x"));
  IssueLog log({});
  AnimMotion motion;
  EXPECT_FALSE(ImportAsViewer(ClipOf(builder), &motion, &log).ok());
  const Report report = log.Finish(true, false);
  ASSERT_EQ(report.issues.size(), 1);
  EXPECT_EQ(report.issues[0].code, "ANIM_IMPORT_REFUSED");
  EXPECT_EQ(report.issues[0].location.joint, 1);
  EXPECT_EQ(report.issues[0].location.joint_name, "abdomen");
}

TEST(ViewerTake, ANulInANameEndsTheText) {
  SkeletonBuilder builder;
  const int root = builder.Root("hip", "XYZzxy");
  builder.EndSite(builder.Joint(root, std::string("chest\0tail", 10), "zxy"));
  EXPECT_EQ(ViewerStatusName(StatusOf(ClipOf(builder))),
            ViewerStatusName(ViewerStatus::kEof));
}

TEST(ViewerTake, DepthsCountJoints) {
  SkeletonBuilder builder;
  const int root = builder.Root("hip", "XYZzxy");
  const int spine = builder.Joint(root, "abdomen", "zxy");
  builder.EndSite(builder.Joint(spine, "chest", "zxy"));
  builder.EndSite(builder.Joint(root, "lThigh", "zxy"));
  const Clip clip = ClipOf(builder);
  ViewerTake take;
  int32_t node = 0;
  ASSERT_EQ(TakeFromClip(clip, &take, &node), ViewerStatus::kOk);
  ASSERT_EQ(take.joints.size(), 4);
  EXPECT_EQ(take.joints[0].depth, 2);
  EXPECT_EQ(take.joints[1].depth, 1);
  EXPECT_EQ(take.joints[2].depth, 0);
  EXPECT_EQ(take.joints[3].depth, 0);
}

TEST(ViewerTake, ClipsWithoutFramesHaveNoJoints) {
  SkeletonBuilder builder;
  builder.EndSite(builder.Root("hip", "XYZzxy"));
  IssueLog log({});
  AnimMotion motion;
  EXPECT_TRUE(
      ImportAsViewer(CountingClip(builder.Build(), 0), &motion, &log).ok());
  EXPECT_TRUE(motion.joints.empty());
}

}  // namespace
}  // namespace bvhmill::testing
