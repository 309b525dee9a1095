#include "bvhmill/validate/motion/motion_units.h"

#include <utility>

#include "bvhmill/base/utf8.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/short_number.h"

namespace bvhmill {

void AddSeconds(const MotionClip& clip, int64_t frames, const char* before,
                IssueArgs* args) {
  std::string duration;
  if (HasRate(clip.frame_time)) {
    std::string seconds = Short(static_cast<double>(frames) * clip.frame_time);
    duration = before + seconds + " s";
    args->emplace_back("seconds", std::move(seconds));
  }
  args->emplace_back("duration", std::move(duration));
}

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
