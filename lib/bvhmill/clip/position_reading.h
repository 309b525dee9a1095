#pragma once

// The position channels of a node, and how they are read, by the conventions of
// a caller.

#include <array>
#include <optional>
#include <span>

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

inline bool HasThreePositions(const Skeleton& skeleton, const Node& node) {
  std::array<bool, 3> has = {};
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsPosition(channel)) has[static_cast<size_t>(AxisOf(channel))] = true;
  }
  return has[0] && has[1] && has[2];
}

// The values of the position channels of `node` in a row of the clip, by axis;
// nullopt unless it has all three.
inline std::optional<std::array<float, 3>> PositionIn(
    const Skeleton& skeleton, const Node& node, std::span<const float> row) {
  if (!HasThreePositions(skeleton, node)) return std::nullopt;
  std::array<float, 3> position = {};
  auto column = static_cast<size_t>(node.first_channel);
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsPosition(channel)) {
      position[static_cast<size_t>(AxisOf(channel))] = row[column];
    }
    ++column;
  }
  return position;
}

}  // namespace bvhmill
