#include "bvhmill/anim/avatar_limbs.h"

#include <cmath>
#include <optional>
#include <string_view>

#include "bvhmill/anim/avatar.h"
#include "bvhmill/anim/avatar_drive.h"

namespace bvhmill {
namespace {

constexpr double kDegrees = 57.29577951308232;

// Only limbs whose bones lie alike in all figures. Spines, collars and feet
// differ by tens of degrees from skeleton to skeleton in the same pose.
struct Limb {
  std::string_view begin;
  std::string_view end;
};
constexpr Limb kLimbs[] = {
    {"mShoulderLeft", "mElbowLeft"}, {"mShoulderRight", "mElbowRight"},
    {"mElbowLeft", "mWristLeft"},    {"mElbowRight", "mWristRight"},
    {"mHipLeft", "mKneeLeft"},       {"mHipRight", "mKneeRight"},
    {"mKneeLeft", "mAnkleLeft"},     {"mKneeRight", "mAnkleRight"},
};

double DotOf(const Vec3<double>& a, const Vec3<double>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// False for a vector of no length, or none that can be said.
bool Normalize(Vec3<double>* v) {
  const double length = std::sqrt(DotOf(*v, *v));
  if (!(length > 0) || !std::isfinite(length)) return false;
  for (double& part : *v) part /= length;
  return true;
}

// Of the avatar at rest, in the axes of BVH.
Vec3<double> RestBone(const Limb& limb) {
  Vec3<double> bone = {};
  const int32_t begin = FindAvatarJoint(limb.begin);
  for (int32_t joint = FindAvatarJoint(limb.end); joint != begin;) {
    const AvatarJoint& at = AvatarJoints()[static_cast<size_t>(joint)];
    for (size_t k = 0; k < 3; ++k) bone[k] += at.rest[(k + 1) % 3];
    joint = at.parent;
  }
  return bone;
}

// Unit vectors, both in the avatar's world.
struct Pair {
  Vec3<double> avatar;
  Vec3<double> source;
};

std::optional<Pair> PairOf(const ReferencePose& pose, const Limb& limb) {
  const auto driver = [&](std::string_view name) {
    return pose.drivers[static_cast<size_t>(FindAvatarJoint(name))];
  };
  const int32_t begin = driver(limb.begin);
  const int32_t end = driver(limb.end);
  if (begin < 0 || end < 0) return std::nullopt;
  Vec3<double> bone = {};
  for (size_t k = 0; k < 3; ++k) {
    bone[k] = pose.places[static_cast<size_t>(end)][k] -
              pose.places[static_cast<size_t>(begin)][k];
  }
  const Quat<double>& h = pose.heading;
  Pair pair = {RestBone(limb), TurnVector({-h.x, -h.y, -h.z, h.w}, bone)};
  if (!Normalize(&pair.avatar) || !Normalize(&pair.source)) return std::nullopt;
  return pair;
}

Vec3<double> Cross(const Vec3<double>& a, const Vec3<double>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
          a[0] * b[1] - a[1] * b[0]};
}

// The shortest turn from a to b. Of opposite ones it is about the axis ahead,
// as an arm is lifted from one side over the head to the other.
Quat<double> Swing(const Vec3<double>& a, const Vec3<double>& b) {
  constexpr double kOpposite = 1e-6;
  const Vec3<double> axis = Cross(a, b);
  const double w = 1 + DotOf(a, b);
  if (w < kOpposite) return {0, 0, 1, 0};
  const double length = std::sqrt(DotOf(axis, axis) + w * w);
  return {axis[0] / length, axis[1] / length, axis[2] / length, w / length};
}

bool IsHand(std::string_view name) {
  return name.starts_with("mWrist") || name.starts_with("mHand");
}

}  // namespace

OddLimb FarthestLimb(const ReferencePose& pose) {
  OddLimb odd;
  for (const Limb& limb : kLimbs) {
    const std::optional<Pair> pair = PairOf(pose, limb);
    if (!pair) continue;
    const Vec3<double> cross = Cross(pair->avatar, pair->source);
    const double degrees = std::atan2(std::sqrt(DotOf(cross, cross)),
                                      DotOf(pair->avatar, pair->source)) *
                           kDegrees;
    if (odd.avatar_joint >= 0 && degrees <= odd.degrees) continue;
    odd = {FindAvatarJoint(limb.begin), degrees};
  }
  return odd;
}

std::vector<Quat<double>> LimbSwings(const ReferencePose& pose) {
  std::vector<Quat<double>> swings(AvatarJoints().size());
  for (const Limb& limb : kLimbs) {
    const std::optional<Pair> pair = PairOf(pose, limb);
    if (!pair) continue;
    swings[static_cast<size_t>(FindAvatarJoint(limb.begin))] =
        Swing(pair->avatar, pair->source);
  }
  for (size_t i = 0; i < swings.size(); ++i) {
    const AvatarJoint& joint = AvatarJoints()[i];
    if (!IsHand(joint.name)) continue;
    swings[i] = swings[static_cast<size_t>(joint.parent)];
  }
  return swings;
}

}  // namespace bvhmill
