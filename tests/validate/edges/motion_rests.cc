// Joints that often stand still.

#include <vector>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

// Holds the joint for `held` of every 100 frames. Its motion goes on after each
// hold from where it stood.
void Clamp(int32_t node, int64_t held, Clip* clip) {
  const Clip before = *clip;
  const Node& at = clip->skeleton.nodes[static_cast<size_t>(node)];
  const auto width = static_cast<int64_t>(clip->skeleton.channels.size());
  int64_t source = 0;
  for (int64_t t = 0; t < clip->motion.frames; ++t) {
    if (t % 100 >= held) ++source;
    for (int32_t k = 0; k < at.channel_count; ++k) {
      ValueAt(clip, t, node, k) = before.motion.values[static_cast<size_t>(
          source * width + at.first_channel + k)];
    }
  }
}

}  // namespace

std::vector<FaultCase> RestCases() {
  const MotionShape usual;
  return {
      {"ClampedJoint",
       usual,
       [](Clip* c) { Clamp(6, 60, c); },
       {"hint DATA_FROZEN_JOINT joint 6 frame 99 to 159"}},
      {"JointThatMostlyRests", usual, [](Clip* c) { Clamp(6, 75, c); }, {}},
      // Four of eleven joints rest: the clip is animated by keys.
      {"ManyJointsRest",
       usual,
       [](Clip* c) {
         for (const int32_t node : {3, 5, 6, 8}) Clamp(node, 60, c);
       },
       {}},
  };
}

}  // namespace bvhmill::testing
