#pragma once

// Poses of the source skeleton, and how the directions of its trunk, arms and
// legs differ from those of the avatar at rest. The trunk is the part from hips
// to shoulders; a limb is an upper or lower half of an arm or a leg.
//
//   SourcePose pose;
//   SolveSourcePose(clip, plan, frame, &pose);
//   PoseView view = {drivers, pose.places, {}};
//   view.heading = HeadingOf(view);
//   const OddLimb odd = FarthestLimb(view, Limbs::kAll);
//
// Unless stated otherwise, rotations are in the world of the avatar at rest, in
// the axes of BVH: X left, Y up, Z forward.

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

// A pose of the source, with the avatar joints that its nodes drive. Does not
// own the two lists.
struct PoseView {
  // For each joint of the avatar, the node that drives it, or -1.
  std::span<const int32_t> drivers;
  // Places of the nodes in the world, in the axes and units of the source.
  std::span<const Vec3<double>> places;
  // The rotation about Y from the avatar's world to that of the source.
  Quat<double> heading;
};

// The rotation about Y from forward to the direction that the pose faces. The
// line across its hips, or else across its shoulders, tells where it faces. The
// identity if neither does. Ignores pose.heading.
Quat<double> HeadingOf(const PoseView& pose);

// The end of the trunk whose line from right to left is used.
enum class TrunkEnd { kHips, kShoulders };

// Returns the rotation from the avatar's trunk at rest to the source's,
// computed from the line across `end` and the line from hips to shoulders. None
// if a joint is missing, or if a line has no length.
std::optional<Quat<double>> TrunkTurn(const PoseView& pose, TrunkEnd end);

// The angle in degrees between the line from hips to shoulders and the axis Y
// of the source. None if a joint is missing, or if the line has no length.
std::optional<double> TrunkLean(const PoseView& pose);

// The limb of kLimbs whose direction in a pose differs most from the avatar's
// at rest.
struct OddLimb {
  // The joint at which the limb begins; -1 if the source has none of the limbs.
  int32_t avatar_joint = -1;
  // The difference.
  double degrees = 0;
};
// The limbs that are compared.
enum class Limbs { kArms, kLegs, kAll };
OddLimb FarthestLimb(const PoseView& pose, Limbs limbs);

// A limb, as the joints of the avatar at which it begins and ends.
struct Limb {
  std::string_view begin;
  std::string_view end;
};
// The upper and lower arms and legs. Collars and feet are not limbs here: in
// the same pose, their directions differ by tens of degrees between skeletons.
inline constexpr std::array<Limb, 8> kLimbs = {
    {{"mShoulderLeft", "mElbowLeft"},
     {"mShoulderRight", "mElbowRight"},
     {"mElbowLeft", "mWristLeft"},
     {"mElbowRight", "mWristRight"},
     {"mHipLeft", "mKneeLeft"},
     {"mHipRight", "mKneeRight"},
     {"mKneeLeft", "mAnkleLeft"},
     {"mKneeRight", "mAnkleRight"}}};

// The unit vector along a limb in the world of the source; none if one of its
// joints is missing, or both are in one place.
std::optional<Vec3<double>> AlongLimb(const PoseView& pose, const Limb& limb);

// One unit vector for each of kLimbs, in the axes of the node that drives the
// joint at which the limb begins; none for a limb that the source lacks.
using LimbBones = std::array<std::optional<Vec3<double>>, kLimbs.size()>;

// The angle between two vectors, from 0 to 180 degrees.
double DegreesBetween(const Vec3<double>& a, const Vec3<double>& b);

// The length of the longer leg, thigh and shin together: of the source in this
// pose, in its units, and of the avatar, in metres. None if no leg is complete.
std::optional<double> LegLength(const PoseView& pose);
double AvatarLegLength();

// The height by which the hips would rise if the straighter leg of the source
// were as straight as that of the avatar at rest, in units of the source. 0
// without a complete leg, or if it is below a fiftieth of the length of the
// leg.
double LegSlack(const PoseView& pose);

// The parts of the avatar that MatchPose turns from their directions at rest to
// those of the source. A joint that follows another turns by the same rotation.
enum class PoseMatch {
  // None: all joints stay at rest.
  kNone,
  // Arms and legs. Hands follow their forearms. Feet keep their direction at
  // rest, or turn to that of the source if it differs by more than 30 degrees.
  // Other joints stay at rest.
  kLimbs,
  // Arms, legs and the trunk. All other joints follow their parents. So do
  // feet, but they turn to the direction of the source if it then differs by
  // more than 30 degrees.
  kWhole,
};

// For each joint of the avatar, the rotation that turns it from rest to the
// pose of the source. The rotation of a limb is the shortest possible: its
// twist, the rotation about its own axis, is a guess. `bones` are the
// directions of limbs, which may come from other poses; `turns` are the
// rotations of the nodes in the world.
std::vector<Quat<double>> MatchPose(const PoseView& pose,
                                    std::span<const Quat<double>> turns,
                                    const LimbBones& bones, PoseMatch match);

// Returns how far the pose is from standing, in degrees: the larger of the lean
// of the trunk (TrunkLean) and the largest error of a leg, plus a quarter of
// the largest error of an arm or a foot; infinite if the source has no complete
// trunk. Errors are differences in direction from the avatar at rest, whose
// trunk is turned to that of the source. An arm that hangs down has no error.
double StandingError(const PoseView& pose);

// An arm, a leg or a spine that the source moves and the avatar would not,
// because the names of its joints are not known.
struct MissingLimb {
  // "left arm", "left forearm", "spine".
  std::string_view limb;
  // The nodes that move it, in file order. They drive no joint.
  std::vector<int32_t> nodes;
};

// Finds the first missing limb. `drivers` has for each joint of the avatar its
// driver, which is the node that drives it, or -1. A node is unknown if it
// drives no joint, and one of its angles differs by more than a degree from the
// first frame. The avatar misses
//
// - the upper or lower half of an arm or leg, if its joint is not driven, the
//   next joint below is driven, and an unknown node is between the driver of
//   that joint and the nearest driver above;
// - the lower half, if its joint and the next joint below are not driven, and
//   an unknown node has no driver below it, and its nearest driver above drives
//   the upper half;
// - a whole arm or leg, if none of its joints is driven, and there are two
//   unknown nodes, one below the other, with no driver below them. The nearest
//   driver above them drives the spine, the neck or the collar (for an arm), or
//   the pelvis (for a leg); a leg may also have no driver above;
// - the spine, if none of its joints is driven, and an unknown node is between
//   the driver of the neck, the head, a collar or a shoulder and the nearest
//   driver above.
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
