#include "tests/validate/floor/floor_clips.h"

#include <algorithm>
#include <array>
#include <vector>

#include "bvhmill/skeletons/body_root.h"
#include "bvhmill/validate/floor/landmarks.h"
#include "bvhmill/validate/rules.h"
#include "bvhmill/validate/skeleton_facts.h"
#include "tests/validate/checked_parts.h"
#include "tests/validate/floor/floor_twin.h"
#include "tests/validate/motion_clips.h"

namespace bvhmill::testing {

Clip FigureClip(const Offset& up, int64_t frames, double frames_per_second,
                const std::function<Offset(int64_t)>& hips) {
  const auto along = [&](float length) {
    return Offset{length * up[0], length * up[1], length * up[2]};
  };
  SkeletonBuilder builder;
  const int root = builder.Root("Hips", "XYZzxy");
  builder.Joint(root, "LeftFoot", "zxy", along(-kReach));
  builder.Joint(root, "RightFoot", "zxy", along(-kReach));
  builder.Joint(root, "Head", "zxy", along(kReach));
  Clip clip = CountingClip(builder.Build(), frames);
  clip.motion.frame_time = 1 / frames_per_second;
  std::fill(clip.motion.values.begin(), clip.motion.values.end(), 0.0F);
  for (int64_t frame = 0; frame < frames; ++frame) {
    const Offset place = hips(frame);
    for (int axis = 0; axis < 3; ++axis) {
      ValueAt(&clip, frame, 0, axis) = place[static_cast<size_t>(axis)];
    }
  }
  return clip;
}

Clip BelowContainer(const Clip& clip) {
  const Skeleton& before = clip.skeleton;
  Clip out;
  Node container;
  container.name = "Armature";
  container.channel_count = 6;
  out.skeleton.nodes.push_back(container);
  out.skeleton.channels = ChannelsFromLetters("XYZzyx");
  for (Node node : before.nodes) {
    if (node.kind == NodeKind::kRoot) node.kind = NodeKind::kJoint;
    ++node.parent;
    node.first_channel += 6;
    out.skeleton.nodes.push_back(node);
  }
  out.skeleton.channels.insert(out.skeleton.channels.end(),
                               before.channels.begin(), before.channels.end());
  out.motion.frames = clip.motion.frames;
  out.motion.frame_time = clip.motion.frame_time;
  const size_t width = before.channels.size();
  for (size_t at = 0; at < clip.motion.values.size(); at += width) {
    const auto row = clip.motion.values.begin() + static_cast<ptrdiff_t>(at);
    constexpr std::array<float, 6> kZeros = {};
    out.motion.values.append(kZeros.begin(), kZeros.end());
    out.motion.values.append(row, row + static_cast<ptrdiff_t>(width));
  }
  return out;
}

Report FloorReportOf(const Clip& clip, const SourceSpace& source,
                     bool seems_z_up) {
  CheckedParts parts(clip);
  parts.source = source;
  parts.motion.seems_z_up = seems_z_up;
  const std::vector<uint8_t> moving =
      MovingColumns(clip.skeleton.channels.size(), clip.motion.values);
  parts.motion.body_root =
      FindBodyRoots(clip.skeleton, FindTrunks(clip.skeleton), moving,
                    JointPositions::kReplaceOffset)[0];
  parts.landmarks = LandmarksOf(clip, parts.facts.landmarks.nodes,
                                LandmarkStep(parts.motion.dt));
  IssueLog log({});
  CheckFloor(parts.checked(), &log);
  return log.Finish(true, true);
}

}  // namespace bvhmill::testing
