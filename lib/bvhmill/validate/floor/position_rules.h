#pragma once

// Rules about position channels, which need every row:
//
//   DATA_BONE_LENGTH    a joint below the trunk changes its distance to its
//                       parent by more than 5 %
//   DATA_ROOT_CONSTANT  no position channel moves
//   DATA_ROOT_SCALE     the root moves at more than 8 reaches a second

#include <memory>

#include "bvhmill/validate/row_observer.h"

namespace bvhmill {

// Cost: about ten operations for each node with three position channels and
// frame. Memory: O(nodes + channels).
std::unique_ptr<RowObserver> MakePositionRules();

}  // namespace bvhmill
