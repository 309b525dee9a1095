#include "bvhmill/encode/clip_info.h"

namespace bvhmill {

void DescribeClip(const Skeleton& skeleton, int64_t frames, double frame_time,
                  ClipInfo* info) {
  info->frames = frames;
  info->frame_time = frame_time;
  info->frames_per_second = FramesPerSecond(frame_time);
  info->joint_count = JointCount(skeleton);
  info->joints.resize(skeleton.nodes.size());
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    JointInfo& joint = info->joints[i];
    DisplayNameInto(skeleton, static_cast<int32_t>(i), &joint.name);
    joint.parent = node.parent;
    joint.channels = ChannelLetters(skeleton, node);
    joint.end_site = IsEndSite(node);
    joint.offset = node.offset;
  }
}

ClipInfo DescribeClip(const Clip& clip) {
  ClipInfo info;
  DescribeClip(clip.skeleton, clip.motion.frames, clip.motion.frame_time,
               &info);
  return info;
}

}  // namespace bvhmill
