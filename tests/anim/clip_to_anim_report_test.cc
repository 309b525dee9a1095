// The report of a conversion to .anim.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "tests/anim/figure.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

// A person at rest on the back, who stands in all frames but the first. There
// all joints are in one place, as in a frame that a capture has lost.
Clip StandsAfterALostFrame() {
  SkeletonBuilder builder;
  constexpr char kAll[] = "XYZzxy";
  const int hips = builder.Root("mPelvis", kAll, {0, 0, 0});
  const int torso = builder.Joint(hips, "mTorso", kAll, {0, 0, 10});
  const int chest = builder.Joint(torso, "mChest", kAll, {0, 0, 10});
  const int neck = builder.Joint(chest, "mNeck", kAll, {0, 0, 15});
  builder.EndSite(neck, "", {0, 0, 10});
  for (const float side : {1.0F, -1.0F}) {
    const std::string name = side > 0 ? "Left" : "Right";
    const int arm =
        builder.Joint(chest, "mShoulder" + name, kAll, {15 * side, 0, 10});
    builder.EndSite(arm, "", {30 * side, 0, 0});
    const int hip = builder.Joint(hips, "mHip" + name, kAll, {8 * side, 0, 0});
    const int knee = builder.Joint(hip, "mKnee" + name, kAll, {0, 0, -40});
    builder.EndSite(knee, "", {0, 0, -40});
  }
  Clip clip;
  clip.skeleton = builder.Build();
  clip.motion.frames = 20;
  clip.motion.frame_time = 0.02;
  const size_t width = clip.skeleton.channels.size();
  clip.motion.values.assign(20 * width, 0);
  for (size_t frame = 1; frame < 20; ++frame) {
    float* const row = clip.motion.values.data() + frame * width;
    for (const Node& node : clip.skeleton.nodes) {
      if (IsEndSite(node)) continue;
      std::copy_n(node.offset.begin(), 3, row + node.first_channel);
    }
    row[1] = 90;
    row[4] = -90;
  }
  return clip;
}

TEST(ClipToAnim, AFrameWithAllJointsInOnePlaceIsNoReference) {
  ClipToAnimOptions options;
  options.metres_per_unit = 0.01;
  Report report;
  EXPECT_TRUE(Convert(StandsAfterALostFrame(), options, &report).converted)
      << Codes(report);
  const auto chosen = std::find_if(
      report.issues.begin(), report.issues.end(),
      [](const Issue& issue) { return issue.code == "ANIM_REFERENCE_CHOSEN"; });
  ASSERT_NE(chosen, report.issues.end());
  EXPECT_EQ(chosen->args[0].second, "frame 1");
}

TEST(ClipToAnim, ReportsClipsThatAnAnimCannotHold) {
  ClipToAnimOptions options;
  options.joint_names = kNames;
  Report report;
  Clip clip = Figure(60, 0);
  clip.motion.frame_time = 2;
  EXPECT_FALSE(Convert(clip, options, &report).converted);
  EXPECT_EQ(Codes(report), "ANIM_DURATION_LONG ");
  options.joint_names.assign(kNames.size(), "");
  EXPECT_FALSE(Convert(Figure(60, 0), options, &report).converted);
  EXPECT_TRUE(Codes(report).starts_with("ANIM_NO_JOINTS "));
  EXPECT_FALSE(Convert(Figure(0, 0), options, &report).converted);
  options.joint_names = kNames;
  // Frames without columns cost no bytes.
  clip = Figure(3, 0);
  clip.skeleton.channels.clear();
  for (Node& node : clip.skeleton.nodes) {
    node.channel_count = node.first_channel = 0;
  }
  clip.motion = {50'000'000, 1e-9, {}};
  EXPECT_FALSE(Convert(clip, options, &report).converted);
  EXPECT_EQ(Codes(report), "ANIM_FRAME_COUNT ");
  options.max_bytes = 40;
  EXPECT_FALSE(Convert(Figure(60, 0), options, &report).converted);
  EXPECT_TRUE(Codes(report).starts_with("ANIM_SIZE_LIMIT "));
}

TEST(ClipToAnim, ReportsJointsLeftOutAndPositionsClamped) {
  ClipToAnimOptions options;
  options.joint_names = kNames;
  // Twice the chest: the first one drives it.
  options.joint_names[4] = "mChest";
  options.metres_per_unit = 1;
  options.reference = AnimReference::kRestPose;
  options.accept_odd = true;
  Report report;
  const ClipToAnimResult result = Convert(Figure(60, 0), options, &report);
  std::string said;
  for (const Issue& issue : report.issues) {
    said += issue.code + "@" + issue.location.joint_name + " ";
  }
  EXPECT_EQ(said,
            "ANIM_POSITION_CLAMPED@Hips ANIM_JOINT_LEFT_OUT@Extra "
            "ANIM_JOINT_LEFT_OUT@Neck ");
  for (const AnimKey& key : result.motion.joints.at(0).positions) {
    EXPECT_LE(std::fabs(PositionOf(key)[2]), 5);
  }
}

// A leg that points `degrees` away from that of the avatar at rest.
Clip LegClip(double degrees) {
  const AvatarJoint& knee =
      AvatarJoints()[static_cast<size_t>(FindAvatarJoint("mKneeLeft"))];
  // In the axes of BVH; then one across it.
  const Vec3<double> bone = {knee.rest[1], knee.rest[2], knee.rest[0]};
  const double length = std::hypot(bone[0], bone[1], bone[2]);
  const double across = std::hypot(bone[1], bone[2]);
  const Vec3<double> side = {0, -bone[2] / across, bone[1] / across};
  Offset offset = {};
  for (size_t k = 0; k < 3; ++k) {
    offset[k] = static_cast<float>(
        100 * (bone[k] / length * std::cos(degrees * M_PI / 180) +
               side[k] * std::sin(degrees * M_PI / 180)));
  }
  SkeletonBuilder builder;
  const int pelvis = builder.Root("mPelvis", "XYZzxy");
  const int hip = builder.Joint(pelvis, "mHipLeft", "zxy");
  builder.EndSite(builder.Joint(hip, "mKneeLeft", "zxy", offset));
  return CountingClip(builder.Build(), 3);
}

TEST(ClipToAnim, ReportsWhichLimbIsFarFromTheAvatars) {
  struct Case {
    double degrees;
    bool matches_limbs;
    bool speaks;
  };
  const Case cases[] = {{0, false, false},
                        {9, false, false},
                        {11, false, true},
                        {120, false, true},
                        {120, true, false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.degrees);
    ClipToAnimOptions options;
    options.reference = AnimReference::kRestPose;
    options.match_limbs = c.matches_limbs;
    options.accept_odd = true;
    Report report;
    Convert(LegClip(c.degrees), options, &report);
    const auto odd = std::find_if(
        report.issues.begin(), report.issues.end(),
        [](const Issue& i) { return i.code == "ANIM_REFERENCE_ODD"; });
    ASSERT_EQ(odd != report.issues.end(), c.speaks);
    if (!c.speaks) continue;
    EXPECT_EQ(odd->location.joint_name, "mHipLeft");
    EXPECT_NE(odd->message.find(std::to_string(std::lround(c.degrees))),
              std::string::npos)
        << odd->message;
  }
}

// Frames are counted in the clip, of which the first may be the reference.
TEST(ClipToAnim, ReportsTheFrameInWhichABoundIsMissed) {
  const Clip clip = Figure(60, 0);
  Clip with_reference = clip;
  with_reference.motion.frames += 1;
  auto& values = with_reference.motion.values;
  values.assign(clip.skeleton.channels.size(), 0.0F);
  values.append(clip.motion.values.begin(), clip.motion.values.end());
  const auto missed = [](const Clip& source, AnimReference reference) {
    ClipToAnimOptions options;
    options.joint_names = kNames;
    options.max_degrees = 1e-4F;
    options.reference = reference;
    Report report;
    Convert(source, options, &report);
    std::map<std::string, int64_t> frames;
    for (const Issue& issue : report.issues) {
      if (issue.code != "ANIM_BOUND_MISSED" || !issue.location.frame) continue;
      frames[issue.location.joint_name] = *issue.location.frame;
    }
    return frames;
  };
  const auto plain = missed(clip, AnimReference::kRestPose);
  EXPECT_FALSE(plain.empty());
  for (const auto& [joint, frame] :
       missed(with_reference, AnimReference::kFirstFrame)) {
    // The root moves from where the reference has it.
    if (joint == "Hips") continue;
    ASSERT_TRUE(plain.contains(joint)) << joint;
    EXPECT_EQ(frame, plain.at(joint) + 1) << joint;
  }
}

// A code of a position is a step of 0.15 mm.
TEST(ClipToAnim, ABoundOfPositionsBelowAStepOfTheirCodesIsMissed) {
  ClipToAnimOptions options;
  options.joint_names = kNames;
  options.metres_per_unit = 0.01;
  options.reference = AnimReference::kRestPose;
  options.max_degrees = 5;
  for (const float bound : {0.01F, 0.5F}) {
    options.max_mm = bound;
    Report report;
    const ClipToAnimResult result = Convert(Figure(60, 0), options, &report);
    ASSERT_TRUE(result.converted);
    EXPECT_GT(result.millimetres, 0.02F);
    EXPECT_LT(result.millimetres, bound < 0.1F ? 0.3F : bound * 1.002F);
    std::vector<std::string> missed;
    for (const Issue& issue : report.issues) {
      if (issue.code != "ANIM_BOUND_MISSED") continue;
      EXPECT_EQ(issue.args.at(1).second,
                std::to_string(result.millimetres) + " mm");
      missed.push_back(issue.location.joint_name);
    }
    const std::vector<std::string> hips = {"Hips"};
    EXPECT_EQ(missed, bound < 0.1F ? hips : std::vector<std::string>());
  }
}

}  // namespace
}  // namespace bvhmill::testing
