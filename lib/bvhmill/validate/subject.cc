#include "bvhmill/validate/subject.h"

namespace bvhmill {

Location LocationOf(const Subject& subject, int32_t node) {
  Location location = LocationAt(subject.places[static_cast<size_t>(node)]);
  location.joint = node;
  location.joint_name = DisplayName(subject.clip.skeleton, node);
  return location;
}

std::optional<Vec3f> PositionAt(const Clip& clip, const Node& node,
                                int64_t frame) {
  Vec3f position = {};
  std::array<bool, 3> has = {};
  const size_t row = static_cast<size_t>(frame) * clip.skeleton.channels.size();
  auto column = static_cast<size_t>(node.first_channel);
  for (const Channel channel : ChannelsOf(clip.skeleton, node)) {
    if (IsPosition(channel)) {
      const auto axis = static_cast<size_t>(AxisOf(channel));
      position[axis] = clip.motion.values[row + column];
      has[axis] = true;
    }
    ++column;
  }
  if (!has[0] || !has[1] || !has[2]) return std::nullopt;
  return position;
}

std::array<int64_t, 3> FewFrames(const Clip& clip) {
  const int64_t last = clip.motion.frames - 1;
  return {0, last / 2, last};
}

}  // namespace bvhmill
