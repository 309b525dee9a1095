#pragma once

// The roles that joints have in a body: hips, left thigh, and so on. A role is
// a row of skeletons.csv.

#include <cstdint>

namespace bvhmill {

// The number of roles of each side: those from kLeftEye to kLeftToeTip.
inline constexpr int kSideRoles = 25;

// Roles of a body, in the order of the rows of skeletons.csv. Those of the
// right side follow those of the left side, in the same order. Second Life's
// avatar has more joints (face, wings, tail, hind limbs): these have the roles
// from kBodyRoles on, without a name here.
enum class Role : int16_t {
  kNone = -1,
  kHips,
  // A spine of few joints has kSpine1 and kChest, which carries the shoulders.
  kLowerBack1,
  kLowerBack2,
  kSpine1,
  kSpine2,
  kSpine3,
  kChest,
  kNeck,
  kNeck2,
  kHead,
  kHeadTop,
  kJaw,
  kLeftEye,
  kLeftClavicle,
  kLeftUpperArm,
  kLeftForearm,
  kLeftHand,
  kLeftThumb1,
  kLeftThumb2,
  kLeftThumb3,
  kLeftIndex1,
  kLeftIndex2,
  kLeftIndex3,
  kLeftMiddle1,
  kLeftMiddle2,
  kLeftMiddle3,
  kLeftRing1,
  kLeftRing2,
  kLeftRing3,
  kLeftLittle1,
  kLeftLittle2,
  kLeftLittle3,
  kLeftThigh,
  kLeftShin,
  kLeftFoot,
  kLeftToe,
  kLeftToeTip,
  kRightEye,
  kRightClavicle,
  kRightUpperArm,
  kRightForearm,
  kRightHand,
  kRightThigh = kRightEye + 20,
  kRightShin,
  kRightFoot,
  kRightToe,
  kRightToeTip,
  kBodyRoles,
};

constexpr int IndexOf(Role role) { return static_cast<int>(role); }
constexpr bool IsBodyRole(Role role) {
  return role > Role::kNone && role < Role::kBodyRoles;
}
constexpr bool IsLeft(Role role) {
  return role >= Role::kLeftEye && role < Role::kRightEye;
}
constexpr bool IsRight(Role role) {
  return role >= Role::kRightEye && role < Role::kBodyRoles;
}

// The role on the other side of the body; `role` itself if it has no side, or
// is no role of a body.
constexpr Role MirrorRole(Role role) {
  const int turn = IsLeft(role) ? kSideRoles : IsRight(role) ? -kSideRoles : 0;
  return static_cast<Role>(IndexOf(role) + turn);
}

// True if a joint of `role` may be below a joint of `above`, with no joint of
// another role between them. `above` is kNone if no joint above has a role. A
// shin needs a thigh, a hand needs a forearm; a spine goes up; a thigh may be
// below a spine, as in Biped. Both must be roles of a body, or kNone.
bool MayFollow(Role role, Role above);

}  // namespace bvhmill
