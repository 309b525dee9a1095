// Tests the directions of limbs. The motion that the avatar plays is compared
// with the source by the directions of bones in the world, in double precision.
// The test shares no code with the conversion: it uses matrices and positions
// of joints.
//
// Bones of the source and of the avatar may point in different directions in
// the reference pose. The angle between the two is then the same in every
// frame.

#include <gtest/gtest.h>

#include <cmath>

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
// Arms and legs first.
constexpr size_t kMatched = 8;
constexpr Limb kLimbs[] = {{"mShoulderLeft", "mElbowLeft"},
                           {"mShoulderRight", "mElbowRight"},
                           {"mElbowLeft", "mWristLeft"},
                           {"mElbowRight", "mWristRight"},
                           {"mHipLeft", "mKneeLeft"},
                           {"mHipRight", "mKneeRight"},
                           {"mKneeLeft", "mAnkleLeft"},
                           {"mKneeRight", "mAnkleRight"},
                           {"mTorso", "mChest"},
                           {"mChest", "mNeck"},
                           {"mNeck", "mHead"},
                           {"mCollarLeft", "mShoulderLeft"},
                           {"mCollarRight", "mShoulderRight"}};

Vector Turned(const Matrix& m, const Vector& v) {
  return Transform<double>(m, {}, v);
}

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
  const Matrix& World(int32_t node) const {
    return turns_[static_cast<size_t>(node)];
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

// From `limb.begin` to `limb.end` of the avatar, in the axes of BVH.
Vector BoneOf(const PlayedAvatar& avatar, const Limb& limb) {
  const Vector& begin = avatar.At(limb.begin);
  const Vector& end = avatar.At(limb.end);
  // Y, Z, X of the avatar are X, Y, Z of BVH.
  return {end[1] - begin[1], end[2] - begin[2], end[0] - begin[0]};
}

// Turns the reference pose so that its left is at +X.
Matrix Facing(const Source& reference) {
  Matrix turn = Identity<double>();
  for (const auto& [left, right] : {Limb{"mHipLeft", "mHipRight"},
                                    Limb{"mShoulderLeft", "mShoulderRight"}}) {
    const int32_t a = reference.Find(left);
    const int32_t b = reference.Find(right);
    if (a < 0 || b < 0) continue;
    const double x = reference.Place(a)[0] - reference.Place(b)[0];
    const double y = reference.Place(a)[1] - reference.Place(b)[1];
    const double z = reference.Place(a)[2] - reference.Place(b)[2];
    if (std::hypot(x, z) == 0 || std::hypot(x, z) < std::fabs(y)) continue;
    RotateAbout(1, std::atan2(z, x) * 57.29577951308232, &turn);
    return turn;
  }
  return turn;
}

struct Judged {
  int limbs = 0;
  double worst = 0;
  std::string worst_limb;
};

class Judge {
 public:
  Judge(const Clip& clip, const ClipToAnimOptions& options)
      : clip_(clip),
        is_first_(options.reference == AnimReference::kFirstFrame &&
                  clip.motion.frames > 1),
        reference_(clip,
                   options.reference == AnimReference::kFirstFrame ? 0 : -1),
        facing_(Facing(reference_)),
        matches_(options.match_limbs) {
    IssueLog log({});
    EXPECT_TRUE(ClipToAnim(clip, options, &result_, &log).ok());
  }

  Judged Run() {
    Judged judged;
    if (!result_.converted) return judged;
    const AnimMotion& motion = result_.motion;
    const int64_t first = is_first_ ? 1 : 0;
    const int64_t count = clip_.motion.frames - first;
    const int64_t step = std::max<int64_t>(count / 40, 1);
    for (int64_t i = 0; i < count; i += step) {
      const float seconds = count > 1
                                ? motion.duration * static_cast<float>(i) /
                                      static_cast<float>(count - 1)
                                : 0;
      Compare(Source(clip_, first + i), PlayedAvatar(motion, seconds), &judged);
    }
    return judged;
  }

 private:
  void Compare(const Source& source, const PlayedAvatar& avatar,
               Judged* judged) {
    const PlayedAvatar rest({}, 0);
    judged->limbs = 0;
    for (size_t i = 0; i < (matches_ ? kMatched : std::size(kLimbs)); ++i) {
      const Limb& limb = kLimbs[i];
      const int32_t begin = source.Find(limb.begin);
      const int32_t end = source.Find(limb.end);
      if (begin < 0 || end < 0) continue;
      const Node& node = clip_.skeleton.nodes[static_cast<size_t>(end)];
      // Bones with joints within them are not stiff.
      if (node.parent != begin) continue;
      const Vector bone = {node.offset[0], node.offset[1], node.offset[2]};
      if (std::hypot(bone[0], bone[1], bone[2]) == 0) continue;
      ++judged->limbs;
      const double before =
          matches_ ? 0
                   : DegreesBetween(
                         Turned(facing_, Turned(reference_.World(begin), bone)),
                         BoneOf(rest, limb));
      const double now =
          DegreesBetween(Turned(facing_, Turned(source.World(begin), bone)),
                         BoneOf(avatar, limb));
      const double off = std::fabs(now - before);
      if (off <= judged->worst) continue;
      judged->worst = Worse(judged->worst, off);
      judged->worst_limb = limb.begin;
    }
  }

  const Clip& clip_;
  bool is_first_;
  Source reference_;
  Matrix facing_;
  // Limbs must point alike.
  bool matches_;
  ClipToAnimResult result_;
};

// Returns how many conversions had limbs to compare.
int CompareLimbs(const std::vector<RealClip>& clips) {
  int compared = 0;
  for (const RealClip& real : clips) {
    for (const int i : {0, 1, 2, 3}) {
      const AnimReference reference =
          i < 2 ? AnimReference::kRestPose : AnimReference::kFirstFrame;
      SCOPED_TRACE(real.file);
      ClipToAnimOptions options;
      options.reference = reference;
      options.scale_to_avatar = true;
      options.accept_odd = true;
      options.match_limbs = i % 2 == 1;
      Judge judge(real.clip, options);
      const Judged judged = judge.Run();
      compared += judged.limbs > 0 ? 1 : 0;
      // Bounds of up to eight joints on the way down, each 0.1 degrees.
      EXPECT_LT(judged.worst, 0.8) << judged.worst_limb;
    }
  }
  return compared;
}

TEST(Limbs, PointWhereThoseOfTheSourceDo) {
  EXPECT_GT(CompareLimbs(SampleClips()), 15);
}

TEST(Limbs, OfRealTakesPointWhereThoseOfTheSourceDo) {
  if (RealData().empty()) {
    GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to read the files there";
  }
  EXPECT_GT(CompareLimbs(RealClips()), 100);
}

}  // namespace
}  // namespace bvhmill::testing
