#pragma once

// The skeleton of Second Life's avatar, and the names by which files call its
// joints. All names are case sensitive. Threads: everything here is constant.

#include <cstdint>
#include <span>
#include <string_view>

#include "bvhmill/math/linear.h"

namespace bvhmill {

enum class AvatarJointKind : uint8_t {
  kBone,
  kCollisionVolume,
  kAttachmentPoint,
  // On the screen: moves only for the user who sees it.
  kHudPoint,
};

struct AvatarJoint {
  std::string_view name;
  AvatarJointKind kind = AvatarJointKind::kBone;
  // Index of the parent, always smaller; -1 below mRoot and mScreen.
  int32_t parent = -1;
  // From the parent, and of the bone's end from the joint. Metres; X forward,
  // Y left, Z up. Bones are not turned at rest.
  Vec3<float> rest = {};
  Vec3<float> end = {};
};

// Parents before children.
std::span<const AvatarJoint> AvatarJoints();

// Index of the joint that a file calls `name`: by its own name or by one of
// FindAvatarAlias. -1 if there is none. Constant time.
int32_t FindAvatarJoint(std::string_view name);

// Index of the joint for which `name` is in the viewer's table of names for
// BVH files; -1 if it is not there. The table has every bone by its own name
// and as avatar_NAME, 20 of them by a short name ("hip"), and each attachment
// point whose name has blanks with underscores instead. 326 names.
int32_t FindAvatarAlias(std::string_view name);

// Index of the joint on the other side of the body ("mHipLeft" for
// "mHipRight"); `joint` itself if it is in the middle.
int32_t MirrorJoint(int32_t joint);

// True if `name`, in any case, is an animation of the viewer's library or a
// UUID: what counts as an emote.
bool IsKnownEmote(std::string_view name);

}  // namespace bvhmill
