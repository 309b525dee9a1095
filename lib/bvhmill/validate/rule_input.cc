#include "bvhmill/validate/rule_input.h"

namespace bvhmill {

Location LocationOf(const Subject& subject, int32_t node) {
  Location location = LocationAt(subject.places[static_cast<size_t>(node)]);
  location.joint = node;
  location.joint_name = DisplayName(subject.skeleton, node);
  return location;
}

std::optional<Vec3f> PositionAt(const Subject& subject, const Node& node,
                                size_t row) {
  Vec3f position = {};
  std::array<bool, 3> has = {};
  auto column = static_cast<size_t>(node.first_channel);
  for (const Channel channel : ChannelsOf(subject.skeleton, node)) {
    if (IsPosition(channel)) {
      const auto axis = static_cast<size_t>(AxisOf(channel));
      position[axis] = subject.samples.row(row)[column];
      has[axis] = true;
    }
    ++column;
  }
  if (!has[0] || !has[1] || !has[2]) return std::nullopt;
  return position;
}

}  // namespace bvhmill
