#pragma once

// Recognizes the naming scheme of a skeleton and the role of each joint, by the
// names of its joints and by their positions in the tree.
//
//   const Recognition found = Recognize(skeleton);
//   if (found.scheme != nullptr) ...         // "mixamo"
//   const int32_t hips = NodeOfRole(found, Role::kHips);

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/skeletons/naming_schemes.h"

namespace bvhmill {

struct Recognition {
  // The scheme that names the most joints; null if no scheme fits. If joints
  // have roles without a scheme, their names mix several schemes.
  const NamingScheme* scheme = nullptr;
  // The common prefix of the names in this file: "mixamorig:".
  std::string prefix;
  // The number of joints that have a role, or another name of the scheme.
  int32_t matched = 0;
  // The number of joints.
  int32_t joints = 0;
  // The role of each node; kNone if it has none. Each role occurs once: joints
  // below a joint of the same role, and those of a second figure, have none.
  std::vector<Role> roles;
};

// Names are compared without their common prefix ("mixamorig9:", "Character1_",
// "Bip01 "), without regard to case, blanks, and the marks '_', '-' and '.'.
// The joints above and below confirm a name: a shin is below a thigh of the
// same side (MayFollow). So LeftLeg is the shin of Mixamo and the thigh of
// SOMA. Among schemes that name equally many joints, the one with fewer missing
// limbs wins, then the one with more names that are equal letter by letter,
// then the first.
//
// A scheme must have a role for at least four joints of trunk, arms and legs.
// If the words of the names, as all schemes use them, find a role for three
// more of the main joints, or for the hips that the scheme misses, the names
// are mixed, and no scheme is returned.
//
// Reads the first 1,024 joints with a known name. O(length of all names).
Recognition Recognize(const Skeleton& skeleton);

// The work of Recognize for a skeleton of `nodes` nodes, as units of a budget.
constexpr int64_t RecognitionUnits(size_t nodes) {
  return static_cast<int64_t>(nodes) * 1500;
}

// The index of the node of `role`; -1 if there is none.
int32_t NodeOfRole(const Recognition& recognition, Role role);

// The roles of the spine that the skeleton has.
SpineRoles SpineOf(const Recognition& recognition);

// The new name of each node in the scheme `to`, for --names-to; empty for a
// node that keeps its name. A joint whose role `to` has is renamed to the name
// of that role. Other joints lose the prefix of the file; if such a name is
// then the name of another joint, _2, _3 and so on are appended. O(n log n).
std::vector<std::string> NamesIn(const NamingScheme& to,
                                 const Skeleton& skeleton,
                                 const Recognition& recognition);

}  // namespace bvhmill
