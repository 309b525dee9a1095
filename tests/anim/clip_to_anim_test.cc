// How clips of other skeletons turn and move the avatar.

#include "bvhmill/anim/clip_to_anim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "tests/anim/figure.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using Turn = Quat<double>;

Turn Inverse(const Turn& q) { return {-q.x, -q.y, -q.z, q.w}; }

// The world rotation of every node in a frame.
std::vector<Turn> Turns(const Clip& clip, int64_t frame) {
  const size_t width = clip.skeleton.channels.size();
  const float* row =
      clip.motion.values.data() + static_cast<size_t>(frame) * width;
  std::vector<Turn> turns;
  for (const Node& node : clip.skeleton.nodes) {
    Turn q = node.parent < 0 ? Turn() : turns[static_cast<size_t>(node.parent)];
    const float* value = row + node.first_channel;
    for (const Channel channel : ChannelsOf(clip.skeleton, node)) {
      if (IsRotation(channel)) {
        q = Multiply(q, AxisQuat<double>(AxisOf(channel), *value));
      }
      ++value;
    }
    turns.push_back(q);
  }
  return turns;
}

// The keys around a time, blended as the viewer does; `all` have no gaps.
Turn Play(const AnimJoint& joint, float duration, float seconds) {
  const std::vector<AnimKey>& keys = joint.rotations;
  size_t i = 0;
  while (i + 1 < keys.size() && TimeOf(keys[i + 1], duration) <= seconds) ++i;
  const size_t k = std::min(i + 1, keys.size() - 1);
  const float from = TimeOf(keys[i], duration);
  const float to = TimeOf(keys[k], duration);
  const double u = to > from ? (seconds - from) / (to - from) : 0;
  const Quat<float> a = RotationOf(keys[i]);
  Quat<float> b = RotationOf(keys[k]);
  const bool is_far = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0;
  if (is_far) b = {-b.x, -b.y, -b.z, -b.w};
  Turn q = {a.x + (b.x - a.x) * u, a.y + (b.y - a.y) * u, a.z + (b.z - a.z) * u,
            a.w + (b.w - a.w) * u};
  const double length =
      std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / length, q.y / length, q.z / length, q.w / length};
}

// World rotations of the avatar's joints, in its own axes.
std::vector<Turn> AvatarTurns(const AnimMotion& motion, float seconds) {
  std::map<std::string_view, const AnimJoint*> joints;
  for (const AnimJoint& joint : motion.joints) joints[joint.name] = &joint;
  std::vector<Turn> turns;
  for (const AvatarJoint& joint : AvatarJoints()) {
    Turn q =
        joint.parent < 0 ? Turn() : turns[static_cast<size_t>(joint.parent)];
    const auto it = joints.find(joint.name);
    if (it != joints.end()) {
      q = Multiply(q, Play(*it->second, motion.duration, seconds));
    }
    turns.push_back(q);
  }
  return turns;
}

double DegreesBetween(const Turn& a, const Turn& b) {
  const Turn d = Multiply(Inverse(a), b);
  return 2 *
         std::atan2(std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z),
                    std::fabs(d.w)) *
         180 / M_PI;
}

// In the avatar's axes: what it should look like.
Turn Expected(const std::vector<Turn>& now, const std::vector<Turn>& reference,
              size_t node, const Turn& heading) {
  Turn q = Multiply(now[node], Inverse(reference[node]));
  q = Multiply(Inverse(heading), Multiply(q, heading));
  return {q.z, q.x, q.y, q.w};
}

void ExpectLooksAlike(const Clip& clip, const ClipToAnimOptions& options,
                      const Turn& heading) {
  const ClipToAnimResult result = Convert(clip, options);
  ASSERT_TRUE(result.converted);
  const bool is_rest = options.reference == AnimReference::kRestPose;
  const int64_t first = is_rest ? 0 : 1;
  const std::vector<Turn> reference =
      is_rest ? std::vector<Turn>(clip.skeleton.nodes.size()) : Turns(clip, 0);
  for (int64_t frame = first; frame < clip.motion.frames; ++frame) {
    const auto seconds = static_cast<float>(static_cast<double>(frame - first) *
                                            clip.motion.frame_time);
    const std::vector<Turn> avatar = AvatarTurns(result.motion, seconds);
    const std::vector<Turn> now = Turns(clip, frame);
    for (size_t node = 0; node < kNames.size(); ++node) {
      const int32_t joint = FindAvatarJoint(kNames[node]);
      if (joint < 0) continue;
      // Errors of the joints above add up.
      ASSERT_LT(DegreesBetween(avatar[static_cast<size_t>(joint)],
                               Expected(now, reference, node, heading)),
                0.5)
          << frame << " " << kNames[node];
    }
  }
}

TEST(ClipToAnim, JointsTurnInTheWorldAsTheirSourcesDo) {
  ClipToAnimOptions options;
  options.joint_names = kNames;
  options.align_heading = false;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    for (const AnimReference reference :
         {AnimReference::kRestPose, AnimReference::kFirstFrame}) {
      options.reference = reference;
      ExpectLooksAlike(Figure(60, seed), options, {});
    }
  }
}

TEST(ClipToAnim, TheHeadingIsTakenFromTheHips) {
  ClipToAnimOptions options;
  options.joint_names = kNames;
  options.reference = AnimReference::kRestPose;
  ExpectLooksAlike(Figure(60, 3), options, {});
  // The same figure, looking along +X at rest: 90 degrees about Y.
  Clip clip = Figure(60, 3);
  clip.skeleton.nodes[7].offset = {0, 0, -10};
  clip.skeleton.nodes[9].offset = {0, 0, 10};
  ExpectLooksAlike(clip, options, AxisQuat<double>(1, 90));
}

TEST(ClipToAnim, ThePelvisStandsWhereTheAvatarsDoes) {
  SkeletonBuilder builder;
  const int hips = builder.Root("hip", "XYZzxy");
  builder.EndSite(hips, "", {0, -100, 0});
  Clip clip;
  clip.skeleton = builder.Build();
  clip.motion.frames = 3;
  clip.motion.frame_time = 0.5;
  clip.motion.values = {5, 80, 7, 0, 0,  0,  15, 90, 7,
                        0, 0,  0, 5, 60, 37, 0,  0,  1};
  ClipToAnimOptions options;
  options.metres_per_unit = 0.01;
  const auto heights = [&](const ClipToAnimOptions& with) {
    std::vector<Vec3<float>> all;
    const ClipToAnimResult result = Convert(clip, with);
    for (const AnimKey& key : result.motion.joints.at(0).positions) {
      all.push_back(PositionOf(key));
    }
    return all;
  };
  const auto expect = [](const Vec3<float>& v, float x, float y, float z) {
    EXPECT_NEAR(v[0], x, 2e-4F);
    EXPECT_NEAR(v[1], y, 2e-4F);
    EXPECT_NEAR(v[2], z, 2e-4F);
  };
  std::vector<Vec3<float>> all = heights(options);
  ASSERT_EQ(all.size(), 3);
  expect(all[0], 0, 0, -0.2F);
  expect(all[1], 0, 0.1F, -0.1F);
  expect(all[2], 0.3F, 0, -0.4F);
  options.pelvis_height = PelvisHeight::kFirstFrame;
  all = heights(options);
  expect(all[0], 0, 0, 0);
  expect(all[2], 0.3F, 0, -0.2F);
  options.scale_to_avatar = true;
  all = heights(options);
  expect(all[2], 0.3201F, 0, -0.2134F);
}

TEST(ClipToAnim, JointPositionsAreAddedToTheAvatars) {
  SkeletonBuilder builder;
  const int hips = builder.Root("hip", "XYZzxy");
  const int spine = builder.Joint(hips, "mTorso", "XYZzxy", {0, 10, 0});
  builder.EndSite(spine);
  Clip clip;
  clip.skeleton = builder.Build();
  clip.motion.frames = 1;
  clip.motion.frame_time = 0.5;
  clip.motion.values = {0, 0, 0, 0, 0, 0, 1, 12, 3, 0, 0, 0};
  ClipToAnimOptions options;
  options.metres_per_unit = 0.01;
  options.joint_positions = true;
  const ClipToAnimResult result = Convert(clip, options);
  const AnimJoint& joint = result.motion.joints.back();
  EXPECT_EQ(joint.name, "mTorso");
  const Vec3<float> at = PositionOf(joint.positions.at(0));
  const Vec3<float> rest =
      AvatarJoints()[static_cast<size_t>(FindAvatarJoint("mTorso"))].rest;
  EXPECT_NEAR(at[0], rest[0] + 0.03F, 2e-4F);
  EXPECT_NEAR(at[1], rest[1] + 0.01F, 2e-4F);
  EXPECT_NEAR(at[2], rest[2] + 0.02F, 2e-4F);
}

}  // namespace
}  // namespace bvhmill::testing
