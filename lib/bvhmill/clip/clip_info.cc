#include "bvhmill/clip/clip_info.h"

#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/frame_rates.h"

namespace bvhmill {

ClipInfo DescribeClip(const Skeleton& skeleton, int64_t frames,
                      double frame_time) {
  ClipInfo info;
  SetFrames(frames, frame_time, &info);
  info.joint_count = JointCount(skeleton);
  std::vector<JointInfo> joints(skeleton.nodes.size());
  for (size_t i = 0; i < joints.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    JointInfo& joint = joints[i];
    DisplayNameInto(skeleton, static_cast<int32_t>(i), &joint.name);
    joint.parent = node.parent;
    joint.channels = ChannelLetters(skeleton, node);
    joint.end_site = IsEndSite(node);
    joint.offset = node.offset;
  }
  info.joints = JointList(std::move(joints));
  return info;
}

void SetFrames(int64_t frames, double frame_time, ClipInfo* info) {
  info->frames = frames;
  info->frame_time = frame_time;
  info->frames_per_second = FramesPerSecond(frame_time);
}

double StatedRate(const ClipInfo& info) {
  return HasRate(info.frame_time) ? StatedFrameRate(info.frame_time) : 0;
}

}  // namespace bvhmill
