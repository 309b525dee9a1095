// Clips of other skeletons on the avatar.

#include "bvhmill/anim/clip_to_anim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/base/status.h"
#include "tests/anim/anim_support.h"
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

ClipToAnimResult Convert(const Clip& clip, const ClipToAnimOptions& options,
                         Report* report = nullptr) {
  IssueLog log({});
  ClipToAnimResult result;
  EXPECT_TRUE(ClipToAnim(clip, options, &result, &log).ok());
  const Report said = log.Finish(true, result.converted);
  if (report != nullptr) *report = said;
  return result;
}

// A figure whose hips look along +Z, with an extra bone in its spine and an
// arm that hangs on the neck.
Clip Figure(int64_t frames, uint64_t seed) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy", {0, 90, 0});
  const int spine = builder.Joint(hips, "Spine", "zyx", {0, 10, 0});
  const int extra = builder.Joint(spine, "Extra", "xyz", {0, 10, 0});
  const int chest = builder.Joint(extra, "Chest", "zxy", {0, 10, 0});
  const int neck = builder.Joint(chest, "Neck", "y", {0, 20, 0});
  const int arm = builder.Joint(neck, "LeftArm", "yxz", {15, 0, 0});
  builder.EndSite(arm, "", {30, 0, 0});
  const int left = builder.Joint(hips, "LeftLeg", "zxy", {10, 0, 0});
  builder.EndSite(left, "", {0, -90, 0});
  const int right = builder.Joint(hips, "RightLeg", "zxy", {-10, 0, 0});
  builder.EndSite(right, "", {0, -80, 0});
  Clip clip;
  clip.skeleton = builder.Build();
  clip.motion.frames = frames;
  clip.motion.frame_time = 0.02;
  const size_t width = clip.skeleton.channels.size();
  clip.motion.values.resize(static_cast<size_t>(frames) * width);
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    const size_t frame = i / width;
    const double t = static_cast<double>(frame) * 0.05;
    const auto column = static_cast<double>(i % width + seed);
    clip.motion.values[i] =
        static_cast<float>(60 * std::sin(t + column * 1.7) + 0.1 * column);
  }
  return clip;
}

const std::vector<std::string> kNames = {
    "mPelvis", "abdomen", "", "mChest",    "mHead", "mShoulderLeft",
    "",        "lThigh",  "", "mHipRight", ""};

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

std::string Codes(const Report& report) {
  std::string codes;
  for (const Issue& issue : report.issues) codes += issue.code + " ";
  return codes;
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
                        {44, false, false},
                        {46, false, true},
                        {120, false, true},
                        {120, true, false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.degrees);
    ClipToAnimOptions options;
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
  with_reference.motion.values.insert(with_reference.motion.values.begin(),
                                      clip.skeleton.channels.size(), 0.0F);
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

TEST(ClipToAnim, RaisesTheBoundsUntilTheFileFits) {
  ClipToAnimOptions options;
  options.joint_names = kNames;
  const Clip clip = Figure(2000, 0);
  const ClipToAnimResult all = Convert(clip, options);
  EXPECT_EQ(all.max_degrees, options.max_degrees);
  EXPECT_LE(all.degrees, all.max_degrees * 1.001F);
  EXPECT_LE(all.millimetres, all.max_millimetres * 1.001F);
  options.max_bytes = static_cast<int64_t>(AnimBytes(all.motion)) / 3;
  Report report;
  const ClipToAnimResult less = Convert(clip, options, &report);
  EXPECT_TRUE(less.converted);
  EXPECT_LE(static_cast<int64_t>(AnimBytes(less.motion)), options.max_bytes);
  EXPECT_GT(less.max_degrees, options.max_degrees);
  EXPECT_LE(less.degrees, less.max_degrees * 1.001F);
  EXPECT_NE(Codes(report).find("ANIM_BOUNDS_RAISED"), std::string::npos);
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
  options.settings.base_priority = 5;
  options.settings.joint_priorities = {{"hip", 6}, {"mTorso", 3}};
  options.settings.loop = true;
  options.settings.loop_in = 0.2F;
  options.settings.ease_in = 0.1F;
  options.settings.hand_pose = 9;
  options.settings.emote = "express_smile";
  const AnimMotion motion = Convert(Figure(60, 0), options).motion;
  EXPECT_EQ(motion.base_priority, 5);
  EXPECT_EQ(motion.joints.at(0).priority, 6);
  EXPECT_EQ(motion.joints.at(1).priority, 3);
  EXPECT_EQ(motion.joints.at(2).priority, -1);
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
  EXPECT_EQ(refuses([](O* o) { o->max_degrees = -1; }), "max_degrees");
  EXPECT_EQ(refuses([](O* o) { o->max_degrees = NAN; }), "max_degrees");
  EXPECT_EQ(refuses([](O* o) { o->max_millimetres = 1e9F; }),
            "max_millimetres");
  EXPECT_EQ(refuses([](O* o) { o->metres_per_unit = -1; }), "metres_per_unit");
  EXPECT_EQ(refuses([](O* o) { o->max_bytes = -1; }), "max_bytes");
  EXPECT_EQ(refuses([](O* o) { o->settings.base_priority = 7; }),
            "base_priority");
  EXPECT_EQ(refuses([](O* o) { o->settings.joint_priority = -2; }),
            "joint_priority");
  EXPECT_EQ(refuses([](O* o) {
              o->settings.joint_priorities = {{"x", 1}};
            }),
            "joint_priorities");
  EXPECT_EQ(refuses([](O* o) { o->settings.loop_in = 61; }), "loop_in");
  EXPECT_EQ(refuses([](O* o) { o->settings.ease_out = NAN; }), "ease_out");
  EXPECT_EQ(refuses([](O* o) { o->settings.hand_pose = 14; }), "hand_pose");
  EXPECT_EQ(refuses([](O* o) { o->settings.emote = "x"; }), "emote");
  EXPECT_EQ(refuses([](O* o) {
              o->settings.constraints = std::vector<AnimConstraint>(1);
            }),
            "constraints");
}

}  // namespace
}  // namespace bvhmill::testing
