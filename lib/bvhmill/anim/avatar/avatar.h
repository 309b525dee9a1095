#pragma once

// The skeleton of Second Life's avatar, and the names of its joints in files.
//
//   const int32_t joint = FindAvatarJoint("lHand");
//   const AvatarJoint& wrist = AvatarJoints()[joint];  // mWristLeft
//
// Names are case-sensitive. All functions are thread-safe.

#include <cstdint>
#include <span>
#include <string_view>

#include "bvhmill/math/linear.h"

namespace bvhmill {

enum class AvatarJointKind : uint8_t {
  kBone,
  kCollisionVolume,
  kAttachmentPoint,
  // A point of the heads-up display, which only the avatar's own user sees.
  kHudPoint,
};

struct AvatarJoint {
  std::string_view name;
  AvatarJointKind kind = AvatarJointKind::kBone;
  // Index of the parent, less than that of the joint. -1 for joints whose
  // parent is mRoot or mScreen, which are not in the table.
  int32_t parent = -1;
  // `rest` is the place of the joint relative to its parent; `end` is the end
  // of its bone relative to the joint. Metres; X forward, Y left, Z up. Bones
  // are not rotated at rest.
  Vec3<float> rest = {};
  Vec3<float> end = {};
};

// All joints, parents before children.
std::span<const AvatarJoint> AvatarJoints();

// Index of the joint that a file calls `name`: its own name, or one that
// FindAvatarAlias finds. -1 if there is none. Constant time.
int32_t FindAvatarJoint(std::string_view name);

// Index of the joint for `name` in the viewer's table of names for BVH files;
// -1 if the table does not have the name. The table has 326 names: every bone
// by its own name and as avatar_NAME; 20 bones by a short name ("hip"); and
// each attachment or HUD point whose name has blanks, with underscores instead.
int32_t FindAvatarAlias(std::string_view name);

// Index of the joint on the other side of the body ("mHipLeft" for
// "mHipRight"); `joint` itself if it is in the middle.
int32_t MirrorJoint(int32_t joint);

// True if `name` is a valid emote: an animation of the viewer's library, in
// upper or lower case, or a UUID.
bool IsKnownEmote(std::string_view name);

}  // namespace bvhmill
