#pragma once

// Guesses the role of a joint by the words of its name, for names that no
// scheme has: "Thigh_Left", "l_upleg_jnt", "BIND_R_knee". Private to
// skeletons/.

#include <string_view>
#include <vector>

#include "bvhmill/skeletons/role.h"

namespace bvhmill {

// The roles that schemes give to names of the same words: the side ("left",
// "l"), which may stand anywhere, and the rest in its order, without words such
// as "joint", and without first words that no scheme knows. The role of most
// schemes is the last one. None if no scheme has such a name. O(length of the
// name), of 64 bytes at most.
std::vector<Role> GuessRoles(std::string_view name);

}  // namespace bvhmill
