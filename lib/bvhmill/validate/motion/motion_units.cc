#include "bvhmill/validate/motion/motion_units.h"

#include "bvhmill/base/utf8.h"

namespace bvhmill {

Location MotionLocation(const MotionClip& clip, int32_t node, int64_t frame) {
  Location location = FrameLocation(frame);
  location.joint = node;
  location.joint_name = DisplayName(*clip.skeleton, node);
  return location;
}

Location FrameLocation(int64_t frame) {
  Location location;
  location.frame = frame;
  return location;
}

std::string QuotedNode(const MotionClip& clip, int32_t node) {
  return Quote(DisplayName(*clip.skeleton, node));
}

}  // namespace bvhmill
