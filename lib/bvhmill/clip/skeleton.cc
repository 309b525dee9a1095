#include "bvhmill/clip/skeleton.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bvhmill/base/held_memory.h"
#include "bvhmill/base/utf8.h"

namespace bvhmill {

int32_t JointCount(const Skeleton& skeleton) {
  return static_cast<int32_t>(
      std::count_if(skeleton.nodes.begin(), skeleton.nodes.end(),
                    [](const Node& node) { return !IsEndSite(node); }));
}

double Reach(const Skeleton& skeleton) {
  double reach = 0;
  int64_t bones = 0;
  int64_t bones_without_length = 0;
  std::vector<double> ways(skeleton.nodes.size());
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (node.parent < 0) continue;
    const auto& [x, y, z] = node.offset;
    const double length = std::hypot(x, y, z);
    ways[i] = ways[static_cast<size_t>(node.parent)] + length;
    reach = std::max(reach, ways[i]);
    if (IsEndSite(node)) continue;
    ++bones;
    if (length == 0) ++bones_without_length;
  }
  return bones > 0 && bones == bones_without_length ? 0 : reach;
}

std::span<const Channel> ChannelsOf(const Skeleton& skeleton,
                                    const Node& node) {
  return std::span(skeleton.channels)
      .subspan(static_cast<size_t>(node.first_channel),
               static_cast<size_t>(node.channel_count));
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

std::string ChannelLetters(const Skeleton& skeleton, const Node& node) {
  constexpr std::string_view kLetters = "XYZxyzijk";
  std::string out;
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    out.push_back(kLetters[static_cast<size_t>(channel)]);
  }
  return out;
}

std::string_view ChannelName(Channel channel) {
  constexpr std::array<std::string_view, 9> kNames = {
      "Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation",
      "Zrotation", "Xscale",    "Yscale",    "Zscale"};
  return kNames[static_cast<size_t>(channel)];
}

int32_t NodeOfColumn(const Skeleton& skeleton, int64_t column) {
  // A node without channels has the same first_channel as the node after it. So
  // the column belongs to the last node that starts at or before it.
  const auto after = std::upper_bound(
      skeleton.nodes.begin(), skeleton.nodes.end(), column,
      [](int64_t c, const Node& node) { return c < node.first_channel; });
  return static_cast<int32_t>(after - skeleton.nodes.begin()) - 1;
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

}  // namespace bvhmill
