// Options of a conversion to .anim: bounds, settings, and those that are
// refused.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/base/status.h"
#include "tests/anim/anim_support.h"
#include "tests/anim/figure.h"

namespace bvhmill::testing {
namespace {

TEST(ClipToAnim, RaisesTheBoundsUntilTheFileFits) {
  ClipToAnimOptions options;
  options.joint_names = kNames;
  const Clip clip = Figure(2000, 0);
  const ClipToAnimResult all = Convert(clip, options);
  EXPECT_EQ(all.max_degrees, options.max_degrees);
  EXPECT_LE(all.degrees, all.max_degrees * 1.001F);
  EXPECT_LE(all.millimetres, all.max_mm * 1.001F);
  options.max_bytes = static_cast<int64_t>(AnimBytes(all.motion)) / 3;
  Report report;
  const ClipToAnimResult less = Convert(clip, options, &report);
  EXPECT_TRUE(less.converted);
  EXPECT_LE(static_cast<int64_t>(AnimBytes(less.motion)), options.max_bytes);
  EXPECT_GT(less.max_degrees, options.max_degrees);
  EXPECT_LE(less.degrees, less.max_degrees * 1.001F);
  EXPECT_NE(Codes(report).find("ANIM_BOUNDS_RAISED"), std::string::npos);
}

// How often a bound was raised by half from `least`.
double RaisesFrom(double least, double bound) {
  return std::log(bound / least) / std::log(1.5);
}

TEST(ClipToAnim, RaisesBothBoundsByHalf) {
  const Clip clip = Figure(200, 0);
  const struct {
    float degrees;
    float millimetres;
    double least_degrees;
    double least_millimetres;
  } cases[] = {{0.1F, 1, 0.1, 1}, {0, 0, 0.02, 0.2}, {0.01F, 0.1F, 0.02, 0.2}};
  for (const auto& c : cases) {
    ClipToAnimOptions options;
    options.joint_names = kNames;
    options.max_degrees = c.degrees;
    options.max_mm = c.millimetres;
    options.max_bytes =
        static_cast<int64_t>(AnimBytes(Convert(clip, options).motion)) / 2;
    const ClipToAnimResult less = Convert(clip, options);
    const double raises = RaisesFrom(c.least_degrees, less.max_degrees);
    EXPECT_GE(raises, 0.999);
    EXPECT_NEAR(raises, std::round(raises), 1e-3);
    EXPECT_NEAR(RaisesFrom(c.least_millimetres, less.max_mm), raises, 1e-3);
  }
}

TEST(ClipToAnim, ValuesThatAreNotFiniteRepeatTheOneBefore) {
  ClipToAnimOptions options;
  options.joint_names = kNames;
  Clip clip = Figure(600, 0);
  const size_t width = clip.skeleton.channels.size();
  Clip held = clip;
  for (size_t frame = 300; frame < 303; ++frame) {
    clip.motion.values[frame * width + 4] = frame == 301 ? INFINITY : NAN;
    held.motion.values[frame * width + 4] = held.motion.values[299 * width + 4];
  }
  clip.motion.values[500 * width + 3] += 360'000'000.0F;
  Report report;
  const ClipToAnimResult result = Convert(clip, options, &report);
  EXPECT_NE(Codes(report).find("ANIM_VALUE_NOT_FINITE"), std::string::npos);
  EXPECT_TRUE(result.converted);
  held.motion.values[500 * width + 3] = clip.motion.values[500 * width + 3];
  ExpectSameMotion(result.motion, Convert(held, options).motion);
}

TEST(ClipToAnim, PositionsThatAreNotFiniteAreReported) {
  SkeletonBuilder builder;
  const int hips = builder.Root("mPelvis", "XYZzxy");
  const int torso = builder.Joint(hips, "mTorso", "XYZzxy", {0, 10, 0});
  builder.EndSite(torso);
  Clip clip;
  clip.skeleton = builder.Build();
  clip.motion.frames = 4;
  clip.motion.frame_time = 0.5;
  clip.motion.values.assign(4 * 12, 1);
  clip.motion.values[2 * 12 + 1] = NAN;
  clip.motion.values[2 * 12 + 6] = INFINITY;
  clip.motion.values[3 * 12 + 8] = NAN;
  ClipToAnimOptions options;
  options.metres_per_unit = 0.01;
  options.joint_positions = true;
  options.reference = AnimReference::kRestPose;
  Report report;
  Convert(clip, options, &report);
  std::vector<int64_t> counts;
  for (const Issue& issue : report.issues) {
    if (issue.code != "ANIM_VALUE_NOT_FINITE") continue;
    EXPECT_EQ(issue.location.joint, counts.size());
    counts.push_back(issue.occurrences);
  }
  EXPECT_EQ(counts, (std::vector<int64_t>{1, 2}));
}

// A chain whose root and torso have offsets and positions: all are small
// integers, so that sums of them are exact.
Clip ChainWithPositions() {
  SkeletonBuilder builder;
  const int hips = builder.Root("mPelvis", "XYZzxy", {3, 90, 5});
  const int torso = builder.Joint(hips, "mTorso", "XYZzxy", {2, 10, 4});
  const int chest = builder.Joint(torso, "mChest", "zxy", {0, 20, 0});
  builder.EndSite(chest);
  Clip clip;
  clip.skeleton = builder.Build();
  clip.motion.frames = 60;
  clip.motion.frame_time = 0.02;
  const size_t width = clip.skeleton.channels.size();
  for (size_t i = 0; i < 60 * width; ++i) {
    clip.motion.values.push_back(
        static_cast<float>((i / width * (i % width + 3)) % 40));
  }
  return clip;
}

// Adds the offset of a node to its positions in every frame.
void AddOffset(size_t node, Clip* clip) {
  const size_t width = clip->skeleton.channels.size();
  const Node& moved = clip->skeleton.nodes[node];
  for (size_t frame = 0; frame < 60; ++frame) {
    const size_t at = frame * width + static_cast<size_t>(moved.first_channel);
    for (size_t i = 0; i < 3; ++i) {
      clip->motion.values[at + i] += moved.offset[i];
    }
  }
}

TEST(ClipToAnim, PositionsAreReadByTheConventions) {
  ClipToAnimOptions options;
  options.metres_per_unit = 0.01;
  options.joint_positions = true;
  options.joint_names = {"mPelvis", "mTorso", "mChest", ""};
  options.reference = AnimReference::kRestPose;
  const Clip clip = ChainWithPositions();
  const AnimMotion plain = Convert(clip, options).motion;
  const auto read_by = [&](const Conventions& conventions) {
    ClipToAnimOptions chosen = options;
    chosen.conventions = conventions;
    return Convert(clip, chosen).motion;
  };
  // The same positions, written as the default conventions need them.
  const Conventions added[] = {
      {JointPositions::kReplaceOffset, RootOffset::kAdded},
      {JointPositions::kAddToOffset, RootOffset::kReplaced}};
  for (const size_t node : {0, 1}) {
    Clip same = clip;
    AddOffset(node, &same);
    const AnimMotion motion = read_by(added[node]);
    ExpectSameMotion(motion, Convert(same, options).motion);
    EXPECT_TRUE(BytesOf(motion) != BytesOf(plain));
  }
  const AnimMotion ignored =
      read_by({JointPositions::kIgnore, RootOffset::kReplaced});
  EXPECT_FALSE(plain.joints.at(1).positions.empty());
  EXPECT_TRUE(ignored.joints.at(1).positions.empty());
}

TEST(ClipToAnim, JointsAtRestAreLeftOut) {
  ClipToAnimOptions options;
  options.joint_names = kNames;
  Clip clip = Figure(20, 0);
  const auto width = static_cast<int64_t>(clip.skeleton.channels.size());
  const Node& chest = clip.skeleton.nodes[3];
  for (int64_t i = 0; i < 20 * width; ++i) {
    const int64_t column = i % width - chest.first_channel;
    if (column >= -3 && column < 3) {
      clip.motion.values[static_cast<size_t>(i)] = 0;
    }
  }
  const auto has_chest = [](const AnimMotion& motion) {
    for (const AnimJoint& joint : motion.joints) {
      if (joint.name == "mChest") return true;
    }
    return false;
  };
  EXPECT_FALSE(has_chest(Convert(clip, options).motion));
  options.keep_still_joints = true;
  EXPECT_TRUE(has_chest(Convert(clip, options).motion));
}

TEST(ClipToAnim, SettingsAreWritten) {
  ClipToAnimOptions options;
  options.joint_names = kNames;
  options.settings.priority = 5;
  options.settings.joint_priority = {{"hip", 6}, {"mTorso", 3}};
  options.settings.loop = true;
  options.settings.loop_in = 0.2F;
  options.settings.ease_in = 0.1F;
  options.settings.hand_pose = 9;
  options.settings.emote = "express_smile";
  const AnimMotion motion = Convert(Figure(60, 0), options).motion;
  EXPECT_EQ(motion.base_priority, 5);
  EXPECT_EQ(motion.joints.at(0).priority, 6);
  EXPECT_EQ(motion.joints.at(1).priority, 3);
  EXPECT_EQ(motion.joints.at(2).priority, 5);
  EXPECT_EQ(motion.loop, 1);
  EXPECT_EQ(motion.loop_in, 0.2F);
  EXPECT_EQ(motion.loop_out, motion.duration);
  EXPECT_EQ(motion.ease_in, 0.1F);
  EXPECT_EQ(motion.hand_pose, 9);
  EXPECT_EQ(motion.emote, "express_smile");
  IssueLog log({});
  AnimReadResult read;
  ASSERT_TRUE(CheckAnim(motion, &read, &log).ok());
  EXPECT_TRUE(read.uploads);
}

TEST(ClipToAnim, RefusesOptionsThatMakeNoSense) {
  const auto refuses = [](const auto& change) {
    ClipToAnimOptions options;
    change(&options);
    const absl::Status status = CheckOptions(options, Figure(1, 0).skeleton);
    return std::string(
        MessageOf(status).substr(0, MessageOf(status).find(':')));
  };
  using O = ClipToAnimOptions;
  EXPECT_EQ(refuses([](O*) {}), "");
  EXPECT_EQ(refuses([](O* o) { o->joint_names = {"a"}; }), "joint_names");
  EXPECT_EQ(refuses([](O* o) { o->metres_per_unit = -1; }), "metres_per_unit");
  EXPECT_EQ(refuses([](O* o) {
              o->settings.joint_priority = {{"x", 1}};
            }),
            "joint_priority");
  EXPECT_EQ(refuses([](O* o) { o->settings.emote = "x"; }), "emote");
  EXPECT_EQ(refuses([](O* o) {
              o->settings.constraints = std::vector<AnimConstraint>(1);
            }),
            "constraints");
}

}  // namespace
}  // namespace bvhmill::testing
