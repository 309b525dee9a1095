#include "bvhmill/skeletons/role_tree.h"

#include <array>
#include <cstddef>
#include <set>

namespace bvhmill {
namespace {

// The role of the nearest joint above that has one, as an index: 0 if none has.
constexpr size_t kStates = static_cast<size_t>(Role::kBodyRoles) + 1;
size_t StateOf(Role role) { return static_cast<size_t>(IndexOf(role) + 1); }
Role RoleOf(size_t state) {
  return static_cast<Role>(static_cast<int>(state) - 1);
}

// The largest number of joints that can get a role, for each state above.
using Counts = std::array<int32_t, kStates>;

// The state below a joint that has `role`.
size_t StateBelow(Role role, size_t above) {
  return IsBodyRole(role) ? StateOf(role) : above;
}

bool IsConfirmed(Role role, size_t above) {
  return !IsBodyRole(role) || MayFollow(role, RoleOf(above));
}

// The best role of a joint below the state `above`, or kNone. `below` counts
// the joints below it.
Role BestRole(const Candidate& candidate, const Counts& below, size_t above) {
  Role best = Role::kNone;
  int32_t most = below[above];
  for (const Role role : candidate.roles) {
    if (!IsConfirmed(role, above)) continue;
    const int32_t count = 1 + below[StateBelow(role, above)];
    if (count < most) continue;
    most = count;
    best = role;
  }
  return best;
}

// For each candidate, the counts of the joints below it.
std::vector<Counts> CountBelow(const std::vector<Candidate>& candidates) {
  std::vector<Counts> below(candidates.size(), Counts{});
  for (size_t i = candidates.size(); i-- > 0;) {
    if (candidates[i].parent < 0) continue;
    Counts& parent = below[static_cast<size_t>(candidates[i].parent)];
    for (size_t above = 0; above < kStates; ++above) {
      const Role role = BestRole(candidates[i], below[i], above);
      parent[above] += role == Role::kNone
                           ? below[i][above]
                           : 1 + below[i][StateBelow(role, above)];
    }
  }
  return below;
}

}  // namespace

std::vector<Role> AssignRoles(const std::vector<Candidate>& candidates) {
  const std::vector<Counts> below = CountBelow(candidates);
  std::vector<size_t> states;
  std::vector<Role> roles;
  std::set<Role> taken;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const int32_t parent = candidates[i].parent;
    const size_t above = parent < 0 ? 0 : states[static_cast<size_t>(parent)];
    Role role = BestRole(candidates[i], below[i], above);
    states.push_back(role == Role::kNone ? above : StateBelow(role, above));
    if (role != Role::kNone && !taken.insert(role).second) role = Role::kNone;
    roles.push_back(role);
  }
  return roles;
}

}  // namespace bvhmill
