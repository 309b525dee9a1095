#pragma once

// Rigs: the joints, names and tree that clips of many kinds of skeletons get,
// so that they are alike. The built-in rigs are in skeletons/rigs.csv. Users
// can write their own as CSV.
//
//   ClipEdits edits;
//   edits.rig = "smpl22";
//
// A joint of the rig and one of the clip correspond if they have the same role
// (Recognize): the spines are paired as by PairSpines. Then, a joint of the rig
// that has no role corresponds to the first joint of the same name that is
// left, as a whole or after its last colon; one whose role no joint has, to
// such a joint without a role.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace bvhmill {

struct RigJoint {
  std::string name;
  // Index of the parent, always smaller; -1 for the root.
  int32_t parent = -1;
  // Another name by which a clip may have the joint; or empty.
  std::string also;
};

// The joints of a rig, depth-first. The first one is the root.
using Rig = std::vector<RigJoint>;

// The names of the built-in rigs, in alphabetical order.
std::vector<std::string_view> RigNames();

// The rig of ClipEdits::rig: a name, or a table (ParseTable) with the heading
// `joint,parent`. Its first joint is the root, which has no parent; the parent
// of each other joint is in a row above it. The joints become depth-first,
// those of one parent in the order of the rows. INVALID_ARGUMENT
// "options.edits.rig: why". O(n log n).
absl::StatusOr<Rig> ParseRig(std::string_view text);

}  // namespace bvhmill
