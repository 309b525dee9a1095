// Tests what a person sees: the directions of arms and legs that the avatar
// plays, and those of the source, each relative to its hips and chest. The test
// shares no code with the conversion: it uses matrices and positions of joints,
// in double precision, and knows nothing of a reference pose.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "tests/anim/played_avatar.h"
#include "tests/anim/real_clips.h"
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
};

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
  std::vector<double> all;
  std::array<std::vector<double>, std::size(kLimbs)> each;
  double frames = 0;
  for (int64_t i = 0; i < count; i += step) {
    const float seconds = count > 1
                              ? result.motion.duration * static_cast<float>(i) /
                                    static_cast<float>(count - 1)
                              : 0;
    const auto source = PoseOf(Source(clip, first + i));
    const auto avatar = PoseOf(PlayedAvatar(result.motion, seconds));
    if (!source || !avatar) continue;
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

// Returns how many clips had limbs to compare.
int CompareLimbs(const std::vector<RealClip>& clips) {
  int compared = 0;
  for (const RealClip& real : clips) {
    SCOPED_TRACE(real.file);
    const Judged judged = Judge(real.clip, {});
    compared += judged.limbs > 0 ? 1 : 0;
    EXPECT_LE(judged.median, 6);
    EXPECT_LE(judged.worst_median, 10) << judged.worst_limb;
    EXPECT_LE(judged.avatar_crossed, judged.source_crossed + 0.01);
  }
  return compared;
}

TEST(Limbs, PointWhereThoseOfTheSourceDo) {
  EXPECT_GE(CompareLimbs(SampleClips()), 4);
}

TEST(Limbs, OfRealTakesPointWhereThoseOfTheSourceDo) {
  if (RealData().empty()) {
    GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to read the files there";
  }
  EXPECT_GT(CompareLimbs(RealClips()), 25);
}

}  // namespace
}  // namespace bvhmill::testing
