#include "bvhmill/clip/clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/text.h"

namespace bvhmill {

std::string_view ChannelName(Channel channel) {
  constexpr std::array<std::string_view, 9> kNames = {
      "Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation",
      "Zrotation", "Xscale",    "Yscale",    "Zscale"};
  return kNames[static_cast<size_t>(channel)];
}

std::span<const Channel> ChannelsOf(const Skeleton& skeleton,
                                    const Node& node) {
  return std::span(skeleton.channels)
      .subspan(static_cast<size_t>(node.first_channel),
               static_cast<size_t>(node.channel_count));
}

std::string ChannelLetters(const Skeleton& skeleton, const Node& node) {
  constexpr std::string_view kLetters = "XYZxyzijk";
  std::string out;
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    out.push_back(kLetters[static_cast<size_t>(channel)]);
  }
  return out;
}

int32_t NodeOfColumn(const Skeleton& skeleton, int64_t column) {
  // A node without channels has the same first_channel as the node after it. So
  // the column belongs to the last node that starts at or before it.
  const auto after = std::upper_bound(
      skeleton.nodes.begin(), skeleton.nodes.end(), column,
      [](int64_t c, const Node& node) { return c < node.first_channel; });
  return static_cast<int32_t>(after - skeleton.nodes.begin()) - 1;
}

int32_t JointCount(const Skeleton& skeleton) {
  return static_cast<int32_t>(
      std::count_if(skeleton.nodes.begin(), skeleton.nodes.end(),
                    [](const Node& node) { return !IsEndSite(node); }));
}

std::string DisplayName(const Skeleton& skeleton, int32_t node) {
  std::string out;
  DisplayNameInto(skeleton, node, &out);
  return out;
}

void DisplayNameInto(const Skeleton& skeleton, int32_t node, std::string* out) {
  const Node& self = skeleton.nodes[static_cast<size_t>(node)];
  const bool has_own = !self.name.empty() || self.parent < 0;
  const Node& named =
      has_own ? self : skeleton.nodes[static_cast<size_t>(self.parent)];
  ToUtf8Into(named.name, out);
  if (!has_own) out->append("_End");
}

int64_t SkeletonBytes(const Skeleton& skeleton) {
  auto bytes = static_cast<int64_t>(skeleton.channels.size() * sizeof(Channel));
  for (const Node& node : skeleton.nodes) {
    // Short names are stored inside the node.
    const bool is_short = node.name.size() < sizeof(std::string) / 2;
    const auto name = static_cast<int64_t>(node.name.size()) + 1;
    bytes += static_cast<int64_t>(sizeof(Node));
    if (!is_short) bytes += HeapBytes(name);
  }
  return bytes;
}

bool HasRate(double frame_time) {
  return std::isfinite(frame_time) && frame_time > 0;
}

double FramesPerSecond(double frame_time) {
  return HasRate(frame_time) ? 1.0 / frame_time : 0.0;
}

namespace {

// The share by which the length of a bone may vary.
constexpr double kMostStretch = 0.1;

bool IsPlaced(const Skeleton& skeleton, const Node& node,
              const Conventions& conventions) {
  return HasThreePositions(skeleton, node) &&
         ReadingOf(node, conventions) != PositionReading::kIgnored;
}

// std::hypot has other results in each C library.
double Length(double x, double y, double z) {
  return std::sqrt(x * x + y * y + z * z);
}

// The distance of such a joint from its parent in a row.
double LengthIn(const Skeleton& skeleton, const Node& node,
                const Conventions& conventions, std::span<const float> row) {
  const auto [x, y, z] = *PositionIn(skeleton, node, row);
  const bool is_added = ReadingOf(node, conventions) == PositionReading::kAdded;
  const auto& offset = node.offset;
  return is_added ? Length(double{x} + double{offset[0]},
                           double{y} + double{offset[1]},
                           double{z} + double{offset[2]})
                  : Length(x, y, z);
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

double Reach(const Skeleton& skeleton) {
  double reach = 0;
  int64_t bones = 0;
  int64_t bones_without_length = 0;
  std::vector<double> ways(skeleton.nodes.size());
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (node.parent < 0) continue;
    const auto& [x, y, z] = node.offset;
    const double length = Length(x, y, z);
    ways[i] = ways[static_cast<size_t>(node.parent)] + length;
    reach = std::max(reach, ways[i]);
    if (IsEndSite(node)) continue;
    ++bones;
    if (length == 0) ++bones_without_length;
  }
  return bones > 0 && bones == bones_without_length ? 0 : reach;
}

double ReachOf(const Skeleton& skeleton, const Conventions& conventions,
               int64_t frames, std::span<const float> values) {
  const std::vector<int32_t> children = ChildJoints(skeleton);
  double reach = 0;
  int64_t bones = 0;
  int64_t bones_without_length = 0;
  std::vector<double> ways(skeleton.nodes.size());
  // True if the joint carries the body: all joints above it have one child.
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
    double length = Length(x, y, z);
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
