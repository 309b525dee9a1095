#pragma once

// Poses of the source skeleton, and the directions of their trunk, arms and
// legs compared with those of the avatar at rest.
//
//   SourcePose pose;
//   SolveSourcePose(clip, plan, frame, &pose);
//   PoseView view = {drivers, pose.places, {}};
//   view.heading = HeadingOf(view);
//   const OddLimb odd = FarthestLimb(view, Limbs::kAll);
//
// Unless stated otherwise, rotations are in the world of the avatar at rest, in
// the axes of BVH: X left, Y up, Z ahead.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// The frame number of the rest pose, in which all angles are 0.
inline constexpr int64_t kRestPoseFrame = -1;

// World rotations and places of all nodes, in the axes and units of the source.
struct SourcePose {
  std::vector<Quat<double>> turns;
  std::vector<Vec3<double>> places;
};

// Units of work for each node of a pose, and for each channel of the skeleton
// beyond six times its nodes.
inline constexpr int64_t kSourcePoseNodeUnits = 100;
inline constexpr int64_t kSourcePoseChannelUnits = 30;

// Solves `frame` of `clip`: a frame, or kRestPoseFrame, in which every node is
// at its OFFSET. Values that are not finite count as 0. Reuses the memory of
// `pose`. Cost: the units above. Memory: 56 bytes for each node.
void SolveSourcePose(const Clip& clip, const Plan& plan, int64_t frame,
                     SourcePose* pose);

// A pose of the source, seen from the avatar. Does not own the two lists.
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

// The rotation of the trunk from that of the avatar at rest, computed from the
// line across the hips (or the shoulders) and the line from hips to shoulders.
// None if the source lacks one of these joints.
enum class TrunkEnd { kHips, kShoulders };
std::optional<Quat<double>> TrunkTurn(const PoseView& pose, TrunkEnd end);

// Degrees between the line from hips to shoulders and the axis Y of the source.
std::optional<double> TrunkLean(const PoseView& pose);

// The upper or lower limb of the avatar at rest that differs most in its
// direction from that of the source.
struct OddLimb {
  // The joint at which the limb begins; -1: the source and the avatar have no
  // limb in common.
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

// The height by which the hips would rise if the straighter leg of the source
// were as straight as that of the avatar at rest, in units of the source. 0
// without a complete leg, or if it is below a fiftieth of the length of the
// leg.
double LegSlack(const PoseView& pose);

// The parts of the avatar's rest pose that MatchPose turns to the directions of
// the source.
enum class PoseMatch {
  kNone,
  // Arms and legs. Hands follow their forearms. Feet keep their direction at
  // rest, or turn to that of the source if it differs by more than 30 degrees.
  kLimbs,
  // The trunk as well. Each other joint follows the one above it.
  kWhole,
};

// For each joint of the avatar, the rotation that turns it from rest to the
// pose of the source. The rotation of a limb is the shortest possible: its
// twist is a guess. `bones` are the directions of limbs, which may come from
// other poses; `turns` are the rotations of the nodes in the world.
std::vector<Quat<double>> MatchPose(const PoseView& pose,
                                    std::span<const Quat<double>> turns,
                                    const LimbBones& bones, PoseMatch match);

// The difference of the pose from a standing figure, in degrees: the larger of
// the lean of the trunk and the largest error of a leg, plus a quarter of the
// largest error of arms and feet. A good reference pose has a small value.
// Infinite without a trunk.
double UnrestOf(const PoseView& pose);

// An arm, a leg or a spine that the source moves and the avatar would not,
// because the names of its joints are not known.
struct MissingLimb {
  // "left arm", "left forearm", "spine".
  std::string_view limb;
  // The nodes that move it, in file order. They drive no joint.
  std::vector<int32_t> nodes;
};

// Finds the first missing limb. `drivers` has for each joint of the avatar the
// node that drives it, or -1. A node is unknown if it drives no joint, and one
// of its angles differs by more than a degree from the first frame. The avatar
// misses
//
// - a half of an arm or a leg, if its joint is not driven, the next one below
//   is, and an unknown node is between that one and its next driver above;
// - the lower half, if an unknown node hangs on the upper half, and no joint
//   from the lower half on is driven;
// - a whole arm or leg, if a chain of two unknown nodes hangs on the trunk
//   (arms: on the spine, the neck or the collar; legs: on the pelvis), and none
//   of its joints is driven;
// - the spine, if none of its joints is driven, and an unknown node is between
//   a neck, a head or an arm and its next driver above.
//
// Cost: one pass over the angles of the nodes that drive nothing. Memory: 40
// bytes for each node until it returns.
std::optional<MissingLimb> FindMissingLimb(const Clip& clip,
                                           std::span<const int32_t> drivers);

// `v` turned by the unit quaternion `q`.
Vec3<double> TurnVector(const Quat<double>& q, const Vec3<double>& v);

// The inverse of a unit quaternion.
Quat<double> Conjugate(const Quat<double>& q);

}  // namespace bvhmill
