#pragma once

// Gives each joint one of the roles that its name may mean, so that the tree
// confirms as many as possible. Private to skeletons/.

#include <cstdint>
#include <vector>

#include "bvhmill/skeletons/role.h"

namespace bvhmill {

// A joint that may have a role.
struct Candidate {
  int32_t node = 0;
  // Index of the nearest candidate above, always smaller; -1 if there is none.
  int32_t parent = -1;
  // The roles that its name may mean. Among equally good roles the last counts.
  std::vector<Role> roles;
};

// The role of each candidate; kNone if the joints above do not confirm it. As
// many as possible get a role; if two get the same, the first keeps it. Memory:
// 260 bytes for each candidate. O(candidates x roles).
std::vector<Role> AssignRoles(const std::vector<Candidate>& candidates);

}  // namespace bvhmill
