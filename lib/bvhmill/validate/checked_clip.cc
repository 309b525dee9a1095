#include "bvhmill/validate/checked_clip.h"

#include "bvhmill/base/utf8.h"

namespace bvhmill {

Location LocationOf(const CheckedClip& clip, int32_t node) {
  Location location;
  if (!clip.node_positions.empty()) {
    location = LocationAt(clip.node_positions[static_cast<size_t>(node)]);
  }
  location.joint = node;
  location.joint_name = DisplayName(clip.skeleton, node);
  return location;
}

Location LocationAtFrame(const CheckedClip& clip, int32_t node, int64_t frame) {
  Location location;
  location.frame = frame;
  location.joint = node;
  location.joint_name = DisplayName(clip.skeleton, node);
  return location;
}

std::string QuotedName(const Skeleton& skeleton, int32_t node) {
  return Quote(DisplayName(skeleton, node));
}

}  // namespace bvhmill
