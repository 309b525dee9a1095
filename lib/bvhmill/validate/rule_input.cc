#include "bvhmill/validate/rule_input.h"

namespace bvhmill {

Location LocationOf(const RuleInput& input, int32_t node) {
  Location location;
  if (!input.places.empty()) {
    location = LocationAt(input.places[static_cast<size_t>(node)]);
  }
  location.joint = node;
  location.joint_name = DisplayName(input.skeleton, node);
  return location;
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
