#pragma once

// The naming schemes of skeletons.csv: how programs and datasets name the
// joints of a body. Constant, for any thread.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/skeleton.h"
#include "bvhmill/skeletons/role.h"

namespace bvhmill {

struct NamingScheme {
  // "mixamo", and "Mixamo" for messages.
  std::string_view name;
  std::string_view title;
  // Prefixes that may stand before the names of the scheme. The first one is
  // written, and is usually empty.
  std::vector<std::string_view> prefixes;
  // The names of each role, without a prefix; the first one is written. None
  // if the scheme lacks the role. One name may have several roles: the joints
  // above and below it decide.
  std::vector<std::vector<std::string_view>> names;
  // Names of the scheme that have no role, such as LHipJoint of CMU.
  std::vector<std::string_view> others;
};

// The scheme that .anim and the built-in joint maps lead to.
inline constexpr std::string_view kAvatarScheme = "second_life";

// All schemes, in the order of the columns of skeletons.csv.
std::span<const NamingScheme> NamingSchemes();

// The scheme of that name, or null.
const NamingScheme* FindNamingScheme(std::string_view name);

// The names of the schemes, in alphabetical order.
std::vector<std::string_view> NamingSchemeNames();

// The names of all roles, "hips" and so on, in their order.
std::span<const std::string_view> RoleNames();

// The name that `scheme` gives to a joint of `role`, with its prefix; empty if
// it has none.
std::string NameOfRole(const NamingScheme& scheme, Role role);

// For each role of a spine, from kHips to kChest, the role that takes its place
// in `to`; `from` says which roles the source has. Spines of equal number are
// paired in order, and a shorter one is paired from its lower end on. Second
// Life's spine keeps its roles: it has all of them, folded.
std::vector<Role> PairSpines(const std::vector<bool>& from,
                             const NamingScheme& to);

// The joint map that gives the joints of `from` their names in `to`. Joints
// whose names are equal in both have no row. O(names).
std::vector<JointMapRow> MapBetween(const NamingScheme& from,
                                    const NamingScheme& to);

}  // namespace bvhmill
