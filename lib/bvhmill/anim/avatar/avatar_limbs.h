#pragma once

// Where trunk, arms and legs of a source point in a pose, and where the
// avatar's do at rest. Private to anim/.
//
// All rotations are in the world of the avatar at rest, in the axes of BVH:
// X left, Y up, Z ahead.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bvhmill/math/linear.h"

namespace bvhmill {

// A pose of the source, as far as it concerns the avatar. Borrows both lists.
struct PoseView {
  // For each joint of the avatar the node that drives it, or -1.
  std::span<const int32_t> drivers;
  // Of the nodes in the world, in the axes and units of the source.
  std::span<const Vec3<double>> places;
  // Turns the avatar's world into that of the source.
  Quat<double> heading;
};

// The rotation about Y that makes the pose look ahead, by where its hips, or
// else its shoulders, are. The identity where that cannot be told.
Quat<double> HeadingOf(const PoseView& pose);

// The rotation of the trunk from the avatar's at rest: by the line across the
// hips (or the shoulders) and the line from hips to shoulders. Nothing if the
// source lacks a joint of these.
enum class TrunkEnd { kHips, kShoulders };
std::optional<Quat<double>> TrunkTurn(const PoseView& pose, TrunkEnd end);

// Degrees between the line from hips to shoulders and the axis Y of the source.
std::optional<double> TrunkLean(const PoseView& pose);

// The joint of the avatar at which an upper or lower limb begins that points
// farthest away from the source's.
struct OddLimb {
  // -1: there is none that both have.
  int32_t avatar_joint = -1;
  double degrees = 0;
};
enum class Limbs { kArms, kLegs, kAll };
OddLimb FarthestLimb(const PoseView& pose, Limbs limbs);

// Lengths of a leg, thigh and shin together: of the source in this pose, in its
// units, and of the avatar in metres. Nothing if no leg is complete.
std::optional<double> LegLength(const PoseView& pose);
double AvatarLegLength();

// The parts of the avatar's rest pose that are brought to where those of the
// source are.
enum class PoseMatch {
  kNone,
  // Arms and legs; hands go with their forearms.
  kLimbs,
  // The trunk, too; each other joint goes with the one above it.
  kWhole,
};

// For each joint of the avatar the rotation that brings it from rest to the
// pose of the source. That of a limb is the shortest there is: its turn about
// itself is a guess.
std::vector<Quat<double>> MatchPose(const PoseView& pose, PoseMatch match);

// How unlike a figure that stands the pose is, as degrees: how far the trunk
// leans and legs are bent, and a part of what arms and feet are off. Small is
// good for a pose of reference. Infinite without a trunk.
double UnrestOf(const PoseView& pose);

}  // namespace bvhmill
