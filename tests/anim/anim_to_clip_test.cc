#include "bvhmill/anim/anim_to_clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/viewer/viewer_import.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/base/status.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/bvh/writer.h"
#include "tests/anim/anim_support.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

Clip ClipOf(const AnimMotion& motion, const AnimToClipOptions& options = {},
            Report* report = nullptr) {
  IssueLog log({});
  Clip clip;
  EXPECT_TRUE(AnimToClip(motion, options, &clip, &log).ok());
  if (report != nullptr) *report = log.Finish(true, true);
  return clip;
}

std::string NamesOf(const Clip& clip) {
  std::string names;
  for (const Node& node : clip.skeleton.nodes) {
    if (!IsEndSite(node)) names += node.name + " ";
  }
  return names;
}

TEST(AnimToClip, TheSkeletonIsThatOfTheAvatar) {
  AnimMotion motion = SmallMotion();
  motion.joints[1].name = "Left Hand";
  const Clip clip = ClipOf(motion);
  EXPECT_EQ(NamesOf(clip),
            "mPelvis mSpine1 mSpine2 mTorso mSpine3 mSpine4 mChest "
            "mCollarLeft mShoulderLeft mElbowLeft mWristLeft Left_Hand ");
  const Node& hips = clip.skeleton.nodes[0];
  EXPECT_EQ(hips.channel_count, 6);
  EXPECT_NEAR(hips.offset[1], 1.067015 / 0.02540005, 1e-4);
  EXPECT_EQ(clip.skeleton.nodes[1].channel_count, 3);
  EXPECT_TRUE(IsEndSite(clip.skeleton.nodes.back()));
  AnimToClipOptions all;
  all.all_bones = true;
  EXPECT_EQ(JointCount(ClipOf(motion, all).skeleton), 134);
}

TEST(AnimToClip, FramesAreWhereTheKeysAre) {
  AnimMotion motion = SmallMotion();
  // Thirds of 2 s: 20 frames a second do not have them, 21 do.
  motion.joints[0].rotations.push_back({21845, 30000, 32767, 32767});
  Clip clip = ClipOf(motion);
  EXPECT_EQ(clip.motion.frames, 44);
  EXPECT_NEAR(clip.motion.frame_time, 2.0 / 42, 1e-9);
  AnimToClipOptions options;
  options.frames_per_second = 10;
  options.reference_frame = false;
  clip = ClipOf(motion, options);
  EXPECT_EQ(clip.motion.frames, 21);
  EXPECT_NEAR(clip.motion.frame_time, 0.1, 1e-9);
}

TEST(AnimToClip, APoseIsOneFrame) {
  AnimMotion motion = SmallMotion();
  for (AnimJoint& joint : motion.joints) {
    joint.rotations.resize(1);
    joint.positions.resize(std::min<size_t>(joint.positions.size(), 1));
  }
  EXPECT_EQ(ClipOf(motion).motion.frames, 2);
  motion.duration = 0;
  const Clip pose = ClipOf(motion);
  EXPECT_EQ(pose.motion.frames, 2);
  EXPECT_DOUBLE_EQ(pose.motion.frame_time, 1.0 / 30);
}

TEST(AnimToClip, LeavesOutJointsThatBvhCannotName) {
  AnimMotion motion = SmallMotion();
  for (const char* name : {"BELLY", "Chest", "unknown", "Avatar Center"}) {
    motion.joints.push_back({name, 0, {{0, 0, 0, 0}}, {}});
  }
  Report report;
  const Clip clip = ClipOf(motion, {}, &report);
  EXPECT_EQ(NamesOf(clip), "mPelvis mSpine1 mSpine2 mTorso ");
  ASSERT_EQ(report.issues.size(), 4);
  for (const Issue& issue : report.issues) {
    EXPECT_EQ(issue.code, "ANIM_JOINT_NOT_IN_BVH");
  }
}

TEST(AnimToClip, TheRootIsThereIfNothingMoves) {
  AnimMotion motion = SmallMotion();
  motion.joints.clear();
  EXPECT_EQ(NamesOf(ClipOf(motion)), "mPelvis ");
}

TEST(AnimToClip, AnEntryWithoutKeysHidesNoOther) {
  AnimMotion motion = SmallMotion();
  const Clip plain = ClipOf(motion);
  motion.joints.push_back({motion.joints[0].name, 3, {}, {}});
  const Clip repeated = ClipOf(motion);
  EXPECT_EQ(repeated.motion.values, plain.motion.values);
}

TEST(AnimToClip, RefusesClipsThatAreTooLong) {
  AnimMotion motion = SmallMotion();
  for (const float duration : {61.0F, INFINITY, NAN}) {
    motion.duration = duration;
    Report report;
    EXPECT_EQ(ClipOf(motion, {}, &report).motion.frames, 0);
    EXPECT_EQ(report.issues.at(0).code, "ANIM_DURATION_LONG");
  }
  AnimToClipOptions options;
  const std::pair<double, bool> rates[] = {
      {NAN, false}, {-1, false}, {0, true}, {240, true}, {240.5, false}};
  for (const auto& [rate, is_good] : rates) {
    options.frames_per_second = rate;
    IssueLog log({});
    Clip clip;
    EXPECT_EQ(AnimToClip(SmallMotion(), options, &clip, &log).ok(), is_good)
        << rate;
  }
}

// Codes that the viewer's import can make: truncated twice.
uint16_t Reachable(uint16_t code, float range) {
  return EncodeTwice(DecodeU16(code, -range, range), range);
}

AnimMotion RandomPoses(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> any(-1, 1);
  AnimMotion motion;
  motion.duration = 1;
  motion.loop_out = 1;
  for (const char* name : {"mPelvis", "mTorso", "mHead", "mHipLeft"}) {
    AnimJoint joint = {name, 2, {}, {}};
    for (int i = 0; i <= 30; ++i) {
      const uint16_t time =
          EncodeU16(static_cast<float>(i) * (1.0F / 30), 0, 1);
      const Vec3<float> v =
          PackRotation({any(random), any(random), any(random), any(random)});
      joint.rotations.push_back({time, Reachable(EncodeTwice(v[0], 1), 1),
                                 Reachable(EncodeTwice(v[1], 1), 1),
                                 Reachable(EncodeTwice(v[2], 1), 1)});
      joint.positions.push_back({time,
                                 Reachable(EncodeTwice(any(random), 5), 5),
                                 Reachable(EncodeTwice(any(random), 5), 5),
                                 Reachable(EncodeTwice(any(random), 5), 5)});
    }
    motion.joints.push_back(std::move(joint));
  }
  return motion;
}

// Keys of `again` that differ from those of `motion` at their times. The first
// frame may have lost its time.
int CountDifferences(const AnimMotion& motion, const AnimMotion& again) {
  int differences = 0;
  EXPECT_EQ(motion.joints.size(), again.joints.size());
  for (size_t i = 0; i < motion.joints.size(); ++i) {
    const auto count = [&](const std::vector<AnimKey>& from,
                           const std::vector<AnimKey>& to) {
      for (const AnimKey& key : to) {
        bool is_known = false;
        for (const AnimKey& known : from) {
          is_known |= std::abs(known.time - key.time) <= 1 &&
                      known.x == key.x && known.y == key.y && known.z == key.z;
        }
        differences += is_known ? 0 : 1;
      }
    };
    count(motion.joints[i].rotations, again.joints[i].rotations);
    count(motion.joints[i].positions, again.joints[i].positions);
  }
  return differences;
}

TEST(AnimToClip, TheViewersImportFindsTheSameCodes) {
  int keys = 0;
  int differences = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const AnimMotion motion = RandomPoses(seed);
    const Clip clip = ClipOf(motion);
    // As text, too.
    std::string text;
    StringSink sink(&text);
    ASSERT_TRUE(WriteBvh(clip, {}, &sink).ok());
    IssueLog log({});
    const ReadResult read = ReadBvh(text, {}, &log);
    EXPECT_EQ(log.faults(), 0);
    ExpectSameClip(read.clip, clip);
    AnimMotion again;
    ASSERT_TRUE(ImportTextAsViewer(text, &again, &log));
    ASSERT_EQ(again.duration, motion.duration);
    for (const AnimJoint& joint : again.joints) {
      keys += static_cast<int>(joint.rotations.size() + joint.positions.size());
    }
    differences += CountDifferences(motion, again);
  }
  EXPECT_GT(keys, 5000);
  // Near half a turn the sign of w is anyone's guess, and |v| above 1.
  EXPECT_LE(differences, keys / 500) << keys;
}

}  // namespace
}  // namespace bvhmill::testing
