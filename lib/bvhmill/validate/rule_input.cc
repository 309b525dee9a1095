#include "bvhmill/validate/rule_input.h"

#include "bvhmill/base/utf8.h"

namespace bvhmill {

namespace {

// `places` are empty if the source is no text.
Location NodeLocation(const Skeleton& skeleton,
                      std::span<const TextPosition> places, int32_t node) {
  Location location;
  if (!places.empty()) {
    location = LocationAt(places[static_cast<size_t>(node)]);
  }
  location.joint = node;
  location.joint_name = DisplayName(skeleton, node);
  return location;
}

}  // namespace

Location LocationOf(const RuleInput& input, int32_t node) {
  return NodeLocation(input.skeleton, input.places, node);
}

Location LocationOf(const ObservedClip& clip, int32_t node) {
  return NodeLocation(clip.skeleton, clip.node_positions, node);
}

Location LocationAtFrame(const ObservedClip& clip, int32_t node,
                         int64_t frame) {
  Location location;
  location.frame = frame;
  location.joint = node;
  location.joint_name = DisplayName(clip.skeleton, node);
  return location;
}

std::string QuotedName(const Skeleton& skeleton, int32_t node) {
  return Quote(DisplayName(skeleton, node));
}

std::optional<Vec3f> PositionAt(const RuleInput& input, const Node& node,
                                size_t row) {
  Vec3f position = {};
  std::array<bool, 3> has = {};
  auto column = static_cast<size_t>(node.first_channel);
  for (const Channel channel : ChannelsOf(input.skeleton, node)) {
    if (IsPosition(channel)) {
      const auto axis = static_cast<size_t>(AxisOf(channel));
      position[axis] = input.samples.row(row)[column];
      has[axis] = true;
    }
    ++column;
  }
  if (!has[0] || !has[1] || !has[2]) return std::nullopt;
  return position;
}

}  // namespace bvhmill
