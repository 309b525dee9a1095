#include "bvhmill/skeletons/role.h"

namespace bvhmill {
namespace {

static_assert(MirrorRole(Role::kLeftThigh) == Role::kRightThigh);
static_assert(MirrorRole(Role::kRightToeTip) == Role::kLeftToeTip);

// The role of the left side for a role of either side.
constexpr Role LeftOf(Role role) {
  return IsRight(role) ? MirrorRole(role) : role;
}

constexpr bool IsTrunk(Role role) {
  return role >= Role::kHips && role <= Role::kHead;
}

// True if `above` is a part of the trunk up to `highest`, or nothing.
constexpr bool IsBelow(Role above, Role highest) {
  return above == Role::kNone || (IsTrunk(above) && above <= highest);
}

// As MayFollow, for roles of one side; `above` may be one of the trunk.
bool MayFollowOnSide(Role role, Role above) {
  constexpr int kFirst = IndexOf(Role::kLeftThumb1);
  switch (role) {
    case Role::kLeftEye:
      return IsBelow(above, Role::kHead);
    case Role::kLeftClavicle:
      return IsBelow(above, Role::kNeck2);
    case Role::kLeftUpperArm:
      return above == Role::kLeftClavicle || IsBelow(above, Role::kNeck2);
    case Role::kLeftThigh:
      return IsBelow(above, Role::kSpine3);
    default:
      break;
  }
  const bool is_finger =
      role >= Role::kLeftThumb1 && role <= Role::kLeftLittle3;
  if (is_finger && (IndexOf(role) - kFirst) % 3 == 0) {
    return above == Role::kLeftHand;
  }
  return IndexOf(above) + 1 == IndexOf(role);
}

}  // namespace

bool MayFollow(Role role, Role above) {
  if (IsTrunk(role)) {
    return above == Role::kNone || (IsTrunk(above) && above < role);
  }
  if (role == Role::kHeadTop || role == Role::kJaw) {
    return IsBelow(above, Role::kHead);
  }
  const bool one_side =
      IsTrunk(above) || above == Role::kNone || IsLeft(role) == IsLeft(above);
  return one_side && MayFollowOnSide(LeftOf(role), LeftOf(above));
}

}  // namespace bvhmill
