#include "bvhmill/clip/reach.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "bvhmill/clip/position_reading.h"

namespace bvhmill {
namespace {

// Bones keep their length, but for this share.
constexpr double kMostStretch = 0.1;

bool IsPlaced(const Skeleton& skeleton, const Node& node,
              const Conventions& conventions) {
  return HasThreePositions(skeleton, node) &&
         ReadingOf(node, conventions) != PositionReading::kIgnored;
}

// The distance of such a joint from its parent in a row.
double LengthIn(const Skeleton& skeleton, const Node& node,
                const Conventions& conventions, std::span<const float> row) {
  const auto [x, y, z] = *PositionIn(skeleton, node, row);
  const bool is_added = ReadingOf(node, conventions) == PositionReading::kAdded;
  const auto& offset = node.offset;
  return is_added ? std::hypot(double{x} + double{offset[0]},
                               double{y} + double{offset[1]},
                               double{z} + double{offset[2]})
                  : std::hypot(double{x}, double{y}, double{z});
}

// The length of the bone to such a joint; nullopt if its positions are no bone.
std::optional<double> BoneOf(const Skeleton& skeleton, const Node& node,
                             const Conventions& conventions, int64_t frames,
                             std::span<const float> values) {
  if (frames == 0) return std::nullopt;
  const size_t width = skeleton.channels.size();
  std::array<double, 3> lengths = {};
  for (size_t i = 0; i < lengths.size(); ++i) {
    const int64_t frame = (frames - 1) * static_cast<int64_t>(i) / 2;
    lengths[i] =
        LengthIn(skeleton, node, conventions,
                 values.subspan(static_cast<size_t>(frame) * width, width));
    if (!std::isfinite(lengths[i])) return std::nullopt;
  }
  std::sort(lengths.begin(), lengths.end());
  const bool is_bone = lengths[2] - lengths[0] <= kMostStretch * lengths[2];
  return is_bone ? std::optional(lengths[1]) : std::nullopt;
}

// For each node, the number of its child joints.
std::vector<int32_t> ChildJoints(const Skeleton& skeleton) {
  std::vector<int32_t> children(skeleton.nodes.size());
  for (const Node& node : skeleton.nodes) {
    const bool is_child = node.parent >= 0 && !IsEndSite(node);
    if (is_child) ++children[static_cast<size_t>(node.parent)];
  }
  return children;
}

}  // namespace

double ReachOf(const Skeleton& skeleton, const Conventions& conventions,
               int64_t frames, std::span<const float> values) {
  const std::vector<int32_t> children = ChildJoints(skeleton);
  double reach = 0;
  int64_t bones = 0;
  int64_t bones_without_length = 0;
  std::vector<double> ways(skeleton.nodes.size());
  // The joint carries the body: all joints above it have one child.
  std::vector<bool> carries(skeleton.nodes.size());
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (node.parent < 0) {
      carries[i] = true;
      continue;
    }
    const auto parent = static_cast<size_t>(node.parent);
    carries[i] = carries[parent] && children[parent] == 1;
    ways[i] = ways[parent];
    const bool is_placed =
        !IsEndSite(node) && IsPlaced(skeleton, node, conventions);
    const auto& [x, y, z] = node.offset;
    double length = std::hypot(x, y, z);
    bones += IsEndSite(node) ? 0 : 1;
    bones_without_length += !IsEndSite(node) && length == 0 ? 1 : 0;
    if (is_placed && carries[i]) continue;
    if (is_placed) {
      length =
          BoneOf(skeleton, node, conventions, frames, values).value_or(length);
    }
    ways[i] += length;
    reach = std::max(reach, ways[i]);
  }
  return bones > 0 && bones == bones_without_length ? 0 : reach;
}

}  // namespace bvhmill
