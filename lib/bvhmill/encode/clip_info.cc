#include "bvhmill/encode/clip_info.h"

namespace bvhmill {

ClipInfo DescribeClip(const Clip& clip) {
  const Skeleton& skeleton = clip.skeleton;
  ClipInfo info;
  info.frames = clip.motion.frames;
  info.frame_time = clip.motion.frame_time;
  info.frames_per_second = FramesPerSecond(clip.motion);
  info.joint_count = JointCount(skeleton);
  info.joints.reserve(skeleton.nodes.size());
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    info.joints.push_back({DisplayName(skeleton, static_cast<int32_t>(i)),
                           node.parent, ChannelLetters(skeleton, node),
                           IsEndSite(node), node.offset});
  }
  return info;
}

}  // namespace bvhmill
