// Tests what a person sees: the directions of arms and legs that the avatar
// plays, and those of the source, each relative to its hips and chest. The test
// shares no code with the conversion: it uses matrices and positions of joints,
// in double precision, and knows nothing of a reference pose.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/encode/anim_target.h"
#include "tests/anim/played_avatar.h"
#include "tests/anim/real_clips.h"
#include "tests/anim/walk_names.h"
#include "tests/samples/rig.h"
#include "tests/samples/samples.h"
#include "tests/support/files.h"
#include "tests/support/worse.h"

namespace bvhmill::testing {
namespace {

using Vector = Vec3<double>;
using Matrix = Mat3<double>;

// A bone: the joint at which it begins, and that at which it ends.
struct Limb {
  std::string_view begin;
  std::string_view end;
};
constexpr Limb kLimbs[] = {
    {"mShoulderLeft", "mElbowLeft"}, {"mShoulderRight", "mElbowRight"},
    {"mElbowLeft", "mWristLeft"},    {"mElbowRight", "mWristRight"},
    {"mHipLeft", "mKneeLeft"},       {"mHipRight", "mKneeRight"},
    {"mKneeLeft", "mAnkleLeft"},     {"mKneeRight", "mAnkleRight"}};

double DegreesBetween(const Vector& a, const Vector& b) {
  const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const Vector cross = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                        a[0] * b[1] - a[1] * b[0]};
  const double sine = std::hypot(cross[0], cross[1], cross[2]);
  return std::atan2(sine, dot) * 57.29577951308232;
}

// A clip and a frame of it; frame -1 is the pose with all angles 0.
class Source {
 public:
  Source(const Clip& clip, int64_t frame) : clip_(clip) {
    for (const Node& node : clip.skeleton.nodes) Add(node, frame);
  }

  int32_t Find(std::string_view joint) const {
    for (size_t i = 0; i < clip_.skeleton.nodes.size(); ++i) {
      const Node& node = clip_.skeleton.nodes[i];
      if (!IsEndSite(node) &&
          FindAvatarJoint(node.name) == FindAvatarJoint(joint)) {
        return static_cast<int32_t>(i);
      }
    }
    return -1;
  }
  double Lowest() const {
    double lowest = places_[0][1];
    for (const Vector& place : places_) lowest = std::min(lowest, place[1]);
    return lowest;
  }
  const Vector& Place(int32_t node) const {
    return places_[static_cast<size_t>(node)];
  }

 private:
  // Positions replace the OFFSET; without channels the OFFSET of a root does
  // not count.
  void Add(const Node& node, int64_t frame) {
    const bool is_rest = frame < 0;
    Matrix turn = Identity<double>();
    Vector place = {node.offset[0], node.offset[1], node.offset[2]};
    if (!is_rest && node.parent < 0) place = {};
    size_t column = static_cast<size_t>(node.first_channel);
    for (const Channel channel : ChannelsOf(clip_.skeleton, node)) {
      const double value =
          is_rest ? 0
                  : static_cast<double>(
                        clip_.motion.values[static_cast<size_t>(frame) *
                                                clip_.skeleton.channels.size() +
                                            column]);
      ++column;
      if (IsRotation(channel)) RotateAbout(AxisOf(channel), value, &turn);
      if (IsPosition(channel) && !is_rest) {
        place[static_cast<size_t>(AxisOf(channel))] = value;
      }
    }
    if (node.parent >= 0) {
      const auto parent = static_cast<size_t>(node.parent);
      place = Transform(turns_[parent], places_[parent], place);
      turn = Multiply(turns_[parent], turn);
    }
    turns_.push_back(turn);
    places_.push_back(place);
  }

  const Clip& clip_;
  std::vector<Matrix> turns_;
  std::vector<Vector> places_;
};

// The places of the joints of a figure, in axes of its own.
template <typename Figure>
std::optional<Vector> PlaceOf(const Figure& figure, std::string_view joint);

template <>
std::optional<Vector> PlaceOf(const Source& source, std::string_view joint) {
  const int32_t node = source.Find(joint);
  if (node < 0) return std::nullopt;
  return source.Place(node);
}

template <>
std::optional<Vector> PlaceOf(const PlayedAvatar& avatar,
                              std::string_view joint) {
  // Y, Z, X of the avatar are X, Y, Z of BVH.
  const Vector& place = avatar.At(joint);
  return Vector{place[1], place[2], place[0]};
}

Vector Minus(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double Dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector Cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
          a[0] * b[1] - a[1] * b[0]};
}
Vector Unit(const Vector& v) {
  const double length = std::sqrt(Dot(v, v));
  return {v[0] / length, v[1] / length, v[2] / length};
}

// The directions of limbs in one frame, seen from where the hips face: X to the
// left hip, Y as near to the world's as possible.
struct Pose {
  std::array<std::optional<Vector>, std::size(kLimbs)> limbs;
  // The left ankle is on the right of the right one.
  bool is_crossed = false;
};

template <typename Figure>
std::optional<Pose> PoseOf(const Figure& figure) {
  const auto at = [&](std::string_view joint) {
    return PlaceOf(figure, joint);
  };
  const auto left = at("mHipLeft"), right = at("mHipRight");
  if (!left || !right) return std::nullopt;
  const Vector x = Unit(Minus(*left, *right));
  const Vector z = Unit(Cross(x, {0, 1, 0}));
  const Vector y = Cross(z, x);
  Pose pose;
  for (size_t i = 0; i < std::size(kLimbs); ++i) {
    const auto begin = at(kLimbs[i].begin), end = at(kLimbs[i].end);
    if (!begin || !end) continue;
    const Vector bone = Minus(*end, *begin);
    if (Dot(bone, bone) == 0) continue;
    pose.limbs[i] = Unit({Dot(bone, x), Dot(bone, y), Dot(bone, z)});
  }
  const auto ankle = at("mAnkleLeft"), other = at("mAnkleRight");
  if (ankle && other) pose.is_crossed = Dot(Minus(*ankle, *other), x) < 0;
  return pose;
}

struct Judged {
  int limbs = 0;
  // Over all limbs, and of the limb with the largest median, in degrees.
  double median = 0;
  double worst_median = 0;
  std::string worst_limb;
  // The shares of frames with crossed legs.
  double source_crossed = 0;
  double avatar_crossed = 0;
  // How much higher the hips of the avatar are above its ground than those of
  // the source above its lowest joint, in legs: the median.
  double higher = 0;
};

// Height of the hips above the ground, in legs; `ground` is a height.
template <typename Figure>
std::optional<double> HipHeight(const Figure& figure, double ground) {
  const auto hip = PlaceOf(figure, "mHipLeft");
  const auto knee = PlaceOf(figure, "mKneeLeft");
  const auto ankle = PlaceOf(figure, "mAnkleLeft");
  const auto pelvis = PlaceOf(figure, "mPelvis");
  if (!hip || !knee || !ankle || !pelvis) return std::nullopt;
  const Vector thigh = Minus(*knee, *hip), shin = Minus(*ankle, *knee);
  const double leg = std::sqrt(Dot(thigh, thigh)) + std::sqrt(Dot(shin, shin));
  return ((*pelvis)[1] - ground) / leg;
}

// The height of the pelvis above its place at rest, in metres.
double PelvisRise(const AnimMotion& motion, float seconds) {
  for (const AnimJoint& joint : motion.joints) {
    if (joint.name != "mPelvis" || joint.positions.empty()) continue;
    const auto& keys = joint.positions;
    const auto height = [](const AnimKey& key) {
      return key.z / 65535.0 * 10 - 5;
    };
    const double time =
        motion.duration > 0 ? seconds / motion.duration * 65535 : 0;
    for (size_t i = 1; i < keys.size(); ++i) {
      if (keys[i].time < time) continue;
      const double share =
          (time - keys[i - 1].time) / (keys[i].time - keys[i - 1].time);
      return height(keys[i - 1]) +
             share * (height(keys[i]) - height(keys[i - 1]));
    }
    return height(keys.back());
  }
  return 0;
}

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A clip without a frame time is played at 30 frames a second.
double FrameTimeOf(const Clip& clip) {
  return HasRate(clip.motion.frame_time) ? clip.motion.frame_time : 1.0 / 30;
}

// Compares up to 200 frames of a clip with what the avatar plays.
Judged Judge(const Clip& clip, const ClipToAnimOptions& options) {
  Judged judged;
  ClipToAnimResult result;
  IssueLog log({});
  EXPECT_TRUE(ClipToAnim(clip, options, &result, &log).ok());
  if (!result.converted) return judged;
  // The reference pose may be left out.
  const int64_t count =
      clip.motion.frames == 1
          ? 1
          : std::lround(result.motion.duration / FrameTimeOf(clip)) + 1;
  const int64_t first = clip.motion.frames - count;
  const int64_t step = std::max<int64_t>(count / 200, 1);
  // The sole of the avatar at rest is at 0, and its mPelvis at 1.067 m.
  const double ground = PlaceOf(PlayedAvatar({}, 0), "mPelvis")->at(1) - 1.067;
  std::vector<double> all, higher;
  std::array<std::vector<double>, std::size(kLimbs)> each;
  double frames = 0;
  for (int64_t i = 0; i < count; i += step) {
    const float seconds = count > 1
                              ? result.motion.duration * static_cast<float>(i) /
                                    static_cast<float>(count - 1)
                              : 0;
    const Source figure(clip, first + i);
    const PlayedAvatar played(result.motion, seconds);
    const auto source = PoseOf(figure);
    const auto avatar = PoseOf(played);
    if (!source || !avatar) continue;
    const auto stands = HipHeight(figure, figure.Lowest());
    const auto shown =
        HipHeight(played, ground - PelvisRise(result.motion, seconds));
    if (stands && shown) higher.push_back(*shown - *stands);
    ++frames;
    judged.source_crossed += source->is_crossed ? 1 : 0;
    judged.avatar_crossed += avatar->is_crossed ? 1 : 0;
    for (size_t limb = 0; limb < std::size(kLimbs); ++limb) {
      if (!source->limbs[limb]) continue;
      each[limb].push_back(
          DegreesBetween(*source->limbs[limb], *avatar->limbs[limb]));
      all.push_back(each[limb].back());
    }
  }
  if (frames == 0) return judged;
  judged.source_crossed /= frames;
  judged.avatar_crossed /= frames;
  judged.median = MedianOf(all);
  judged.higher = MedianOf(std::move(higher));
  for (size_t limb = 0; limb < std::size(kLimbs); ++limb) {
    if (each[limb].empty()) continue;
    ++judged.limbs;
    const double median = MedianOf(each[limb]);
    if (median <= judged.worst_median) continue;
    judged.worst_median = Worse(judged.worst_median, median);
    judged.worst_limb = kLimbs[limb].begin;
  }
  return judged;
}

void ExpectSeen(const Judged& judged) {
  EXPECT_LE(judged.median, 6);
  EXPECT_LE(judged.worst_median, 10) << judged.worst_limb;
  EXPECT_LE(judged.avatar_crossed, judged.source_crossed + 0.01);
}

// Returns how many clips had limbs to compare.
int CompareLimbs(const std::vector<RealClip>& clips) {
  int compared = 0;
  for (const RealClip& real : clips) {
    SCOPED_TRACE(real.file);
    const Judged judged = Judge(real.clip, {});
    compared += judged.limbs > 0 ? 1 : 0;
    ExpectSeen(judged);
  }
  return compared;
}

TEST(Limbs, PointWhereThoseOfTheSourceDo) {
  EXPECT_GE(CompareLimbs(SampleClips()), 4);
}

class SchemeLimbs : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(EveryMap, SchemeLimbs,
                         ::testing::ValuesIn(JointMapNames()),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

// A walk by the names of a scheme. Its nodes then get the names of the avatar,
// by which the test finds them.
TEST_P(SchemeLimbs, PointWhereThoseOfTheSourceDo) {
  const samples::Take walk = samples::WalkCycle();
  const auto names = WalkNames(GetParam());
  for (const samples::Axes axes :
       {samples::Axes::kWorld, samples::Axes::kSpread,
        samples::Axes::kAlongBones, samples::Axes::kAny}) {
    SCOPED_TRACE(static_cast<int>(axes));
    std::ostringstream text;
    samples::WriteBvh(samples::OnRig(walk, names, axes), text);
    IssueLog log({});
    Clip clip = ReadBvh(text.str(), {}, &log).clip;
    ClipToAnimOptions options;
    options.metres_per_unit = 0.01;
    options.joint_names = NameAvatarJoints(AnimFormat(), clip.skeleton).names;
    if (options.joint_names.empty()) {
      for (const Node& node : clip.skeleton.nodes) {
        options.joint_names.push_back(node.name);
      }
    }
    for (Node& node : clip.skeleton.nodes) {
      for (const auto& [joint, name] : names) {
        if (name != node.name || IsEndSite(node)) continue;
        const auto bone = WalkJoints().find(joint);
        if (bone != WalkJoints().end()) node.name = bone->second;
        break;
      }
    }
    const Judged judged = Judge(clip, options);
    EXPECT_EQ(judged.limbs, 8);
    ExpectSeen(judged);
    EXPECT_LE(std::fabs(judged.higher), 0.15);
  }
}

TEST(Limbs, OfRealTakesPointWhereThoseOfTheSourceDo) {
  if (RealData().empty()) {
    GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to read the files there";
  }
  EXPECT_GT(CompareLimbs(RealClips()), 25);
}

}  // namespace
}  // namespace bvhmill::testing
