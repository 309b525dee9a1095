#pragma once

// The naming schemes of skeletons.csv: how programs and datasets name the
// joints of a body. A joint has a role (hips, left thigh, and so on), which is
// a row of skeletons.csv; a scheme is a column and has names for each role.
//
//   const NamingScheme* mixamo = FindNamingScheme("mixamo");
//   NameOfRole(*mixamo, Role::kLeftThigh);  // "LeftUpLeg"
//
// All data are constant, so that any thread may read them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

// The number of roles of each side: those from kLeftEye to kLeftToeTip.
inline constexpr int kSideRoles = 25;

// Roles of a body, in the order of the rows of skeletons.csv. Roles of the
// right side follow those of the left side, in the same order. The avatar of
// Second Life has more joints (face, wings, tail, hind limbs): their roles
// begin at kBodyRoles and have no name here.
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

// The role on the other side of the body; `role` itself if it has no side or is
// not a role of a body.
constexpr Role MirrorRole(Role role) {
  const int turn = IsLeft(role) ? kSideRoles : IsRight(role) ? -kSideRoles : 0;
  return static_cast<Role>(IndexOf(role) + turn);
}

// True if a joint of `role` may be below a joint of `above`, with no joint of
// another role between them. `above` is kNone if no joint above has a role. A
// shin needs a thigh, a hand needs a forearm; the roles of a spine ascend; a
// thigh may be below a spine, as in Biped. Both must be roles of a body, or
// kNone.
bool MayFollow(Role role, Role above);

struct NamingScheme {
  // "mixamo", and "Mixamo" for messages.
  std::string_view name;
  std::string_view title;
  // Prefixes that may stand before the names of the scheme. The first one is
  // written, and is usually empty.
  std::vector<std::string_view> prefixes;
  // The names of each role, without a prefix; the first one is written. Empty
  // if the scheme lacks the role. One name may stand for several roles: the
  // joints above and below it decide.
  std::vector<std::vector<std::string_view>> names;
  // Names of the scheme that have no role, such as LHipJoint of CMU.
  std::vector<std::string_view> others;
};

// The target scheme of .anim and of the built-in joint maps.
inline constexpr std::string_view kAvatarScheme = "second_life";

// All schemes, in the order of the columns of skeletons.csv.
std::span<const NamingScheme> NamingSchemes();

// The scheme of that name, or null.
const NamingScheme* FindNamingScheme(std::string_view name);

// The names of the schemes, in alphabetical order.
std::vector<std::string_view> NamingSchemeNames();

// The names of all roles, "hips" and so on, in their order.
std::span<const std::string_view> RoleNames();

// The name of `role` in `scheme`, with its prefix; empty if it has none.
std::string NameOfRole(const NamingScheme& scheme, Role role);

// The roles of a spine, from kHips to kChest: true for those that a skeleton
// or a naming scheme has.
using SpineRoles = std::vector<bool>;
SpineRoles SpineOf(const NamingScheme& scheme);

// For each role of a spine, the corresponding role in `to`; `from` is the
// spine of the source. Spines of equal number are paired in order, and a
// shorter one is paired from its lower end on. If `to` has all roles of a
// spine, as Second Life has (folded), or fewer than the source, each role
// corresponds to itself.
std::vector<Role> PairSpines(const SpineRoles& from, const SpineRoles& to);

// The joint map that renames the joints of `from` to their names in `to`. Names
// that are equal in both have no row. O(names).
std::vector<JointMapRow> MapBetween(const NamingScheme& from,
                                    const NamingScheme& to);

// A joint of a built-in rig. The joints of a rig are depth-first.
struct RigRow {
  std::string_view rig;
  std::string_view joint;
  // Empty for the root.
  std::string_view parent;
  // Another name by which a clip may have a joint that has no role; or empty.
  std::string_view also;
};

// The joints of all rigs.
std::span<const RigRow> RigRows();

// The tables as text, compiled into the library.

// skeletons.csv: a row for each role, a column for each naming scheme. A cell
// has the names of the role in the scheme, separated by '|'. The last row,
// "other", has names of the scheme without a role.
std::string_view SkeletonsCsv();

// schemes.csv: a row for each naming scheme, in the order of the columns of
// skeletons.csv: its name, its title, what may stand before its names
// (separated by '|'), and the source of its names.
std::string_view SchemesCsv();

// rigs.csv: a row for each joint of the built-in rigs of --rig.
std::string_view RigsCsv();

}  // namespace bvhmill
