#pragma once

// The directions of trunk, arms and legs of a source in a pose, compared with
// those of the avatar at rest. Private to anim/.
//
// All rotations are in the world of the avatar at rest, in the axes of BVH: X
// left, Y up, Z ahead.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bvhmill/math/linear.h"

namespace bvhmill {

// A pose of the source for the avatar. Does not own the two lists.
struct PoseView {
  // For each joint of the avatar, the node that drives it, or -1.
  std::span<const int32_t> drivers;
  // Places of the nodes in the world, in the axes and units of the source.
  std::span<const Vec3<double>> places;
  // Turns the avatar's world into that of the source.
  Quat<double> heading;
};

// The rotation about Y that makes the pose face ahead. The line across its
// hips, or else across its shoulders, tells where it faces. The identity if
// neither does.
Quat<double> HeadingOf(const PoseView& pose);

// The rotation of the trunk from that of the avatar at rest. It follows from
// the line across the hips (or the shoulders) and the line from hips to
// shoulders. None if the source lacks one of these joints.
enum class TrunkEnd { kHips, kShoulders };
std::optional<Quat<double>> TrunkTurn(const PoseView& pose, TrunkEnd end);

// Degrees between the line from hips to shoulders and the axis Y of the source.
std::optional<double> TrunkLean(const PoseView& pose);

// The upper or lower limb that points farthest away from that of the source, as
// the joint of the avatar at which it begins.
struct OddLimb {
  // -1: the source and the avatar have no limb in common.
  int32_t avatar_joint = -1;
  double degrees = 0;
};
enum class Limbs { kArms, kLegs, kAll };
OddLimb FarthestLimb(const PoseView& pose, Limbs limbs);

// The upper and lower arms and legs, as the joints of the avatar at which they
// begin and end. Only limbs whose bones have the same direction in all figures:
// collars and feet differ by tens of degrees from skeleton to skeleton in the
// same pose.
struct Limb {
  std::string_view begin;
  std::string_view end;
};
inline constexpr std::array<Limb, 8> kLimbs = {
    {{"mShoulderLeft", "mElbowLeft"},
     {"mShoulderRight", "mElbowRight"},
     {"mElbowLeft", "mWristLeft"},
     {"mElbowRight", "mWristRight"},
     {"mHipLeft", "mKneeLeft"},
     {"mHipRight", "mKneeRight"},
     {"mKneeLeft", "mAnkleLeft"},
     {"mKneeRight", "mAnkleRight"}}};

// The unit vector along a limb in the world of the source; none if the source
// lacks one of its joints, or both are in one place.
std::optional<Vec3<double>> AlongLimb(const PoseView& pose, const Limb& limb);

// One unit vector for each of kLimbs, in the axes of the node that drives the
// joint at which the limb begins; none for a limb that the source lacks.
using LimbBones = std::array<std::optional<Vec3<double>>, kLimbs.size()>;

double DegreesBetween(const Vec3<double>& a, const Vec3<double>& b);

// Length of a leg, thigh and shin together: of the source in this pose, in its
// units, and of the avatar, in metres. None if no leg is complete.
std::optional<double> LegLength(const PoseView& pose);
double AvatarLegLength();

// By how much more than the avatar at rest the straighter leg of the source is
// bent or spread in this pose: what its hips would rise if it were straight, in
// units of the source. 0 without a complete leg, or below a fiftieth of its
// length.
double LegSlack(const PoseView& pose);

// The parts of the avatar's rest pose that are turned to where those of the
// source are.
enum class PoseMatch {
  kNone,
  // Arms and legs. Hands follow their forearms. Feet stay as the avatar's are
  // at rest, or turn to those of the source if these point elsewhere.
  kLimbs,
  // The trunk as well. Each other joint follows the one above it.
  kWhole,
};

// For each joint of the avatar, the rotation that turns it from rest to the
// pose of the source. The rotation of a limb is the shortest possible: its
// twist is a guess. `bones` gives the directions of limbs, which may be those
// of other poses; `turns` are the rotations of the nodes in the world.
std::vector<Quat<double>> MatchPose(const PoseView& pose,
                                    std::span<const Quat<double>> turns,
                                    const LimbBones& bones, PoseMatch match);

// How much the pose differs from a standing figure, in degrees: the lean of the
// trunk or the largest error of a leg, plus a quarter of the largest error of
// arms and feet. A small value is good for a reference pose. Infinite without a
// trunk.
double UnrestOf(const PoseView& pose);

}  // namespace bvhmill
