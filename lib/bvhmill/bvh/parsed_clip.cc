#include "bvhmill/bvh/parsed_clip.h"

#include <utility>

namespace bvhmill {

void MakeEmpty(ParsedClip* clip) {
  clip->source.reset();
  clip->declared_frames = 0;
  clip->motion.frames = 0;
  clip->motion.frame_time = 0;
  clip->motion.values.clear();
  clip->skeleton_read = clip->motion_read = false;
}

Clip ClipOf(ParsedClip&& clip) {
  Clip out;
  if (clip.source != nullptr) out.skeleton = clip.source->skeleton;
  out.motion = std::move(clip.motion);
  return out;
}

Location LocationAt(const TextPosition& place, const Skeleton& skeleton,
                    int32_t node) {
  Location location = LocationAt(place);
  location.joint = node;
  location.joint_name = DisplayName(skeleton, node);
  return location;
}

Location LocationAt(const TextPosition& place, const Skeleton& skeleton,
                    int64_t frame, int64_t column) {
  const int32_t node = NodeOfColumn(skeleton, column);
  Location location = LocationAt(place, skeleton, node);
  location.frame = frame;
  location.channel = static_cast<int32_t>(
      column - skeleton.nodes[static_cast<size_t>(node)].first_channel);
  return location;
}

}  // namespace bvhmill
