#pragma once

// How the position channels of a node are read, by the conventions of a caller.

#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

enum class PositionReading { kReplaced, kAdded, kIgnored };

inline PositionReading ReadingOf(const Node& node,
                                 const Conventions& conventions) {
  if (node.kind == NodeKind::kRoot) {
    return conventions.root_offset == RootOffset::kAdded
               ? PositionReading::kAdded
               : PositionReading::kReplaced;
  }
  switch (conventions.joint_positions) {
    case JointPositions::kReplaceOffset:
      return PositionReading::kReplaced;
    case JointPositions::kAddToOffset:
      return PositionReading::kAdded;
    case JointPositions::kIgnore:
      break;
  }
  return PositionReading::kIgnored;
}

}  // namespace bvhmill
