#pragma once

// The joints of a skeleton that a stick figure shows.

#include <cstdint>
#include <vector>

#include "bvhmill/clip/clip_info.h"

namespace bvhmill::client {

struct DrawnJoints {
  // Indices into ClipInfo::joints, ascending.
  std::vector<int32_t> joints;
  // The nearest ancestor that is drawn, as an index into `joints`; -1: none.
  std::vector<int32_t> parents;
};

// At most `most` joints and end sites: the topmost ones, and those with the
// longest OFFSETs. The joints above the first one with several children are
// left out: often they only carry the motion of the whole figure, far from it.
// O(n log n).
DrawnJoints ChooseDrawnJoints(const JointList& joints, size_t most);

}  // namespace bvhmill::client
