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

void HoldFrom(int32_t node, int64_t first, Clip* clip) {
  for (int64_t t = first + 1; t < clip->motion.frames; ++t) {
    for (int32_t k = 0; k < 3; ++k) {
      ValueAt(clip, t, node, k) = ValueAt(clip, first, node, k);
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
      {"JointThatRestsForMoreThanHalfOfTheClip",
       usual,
       [](Clip* c) { HoldFrom(6, 290, c); },
       {"hint DATA_FROZEN_JOINT joint 6 frame 290 to 599"}},
      {"JointThatRestsForLessThanHalfOfTheClip",
       usual,
       [](Clip* c) { HoldFrom(6, 310, c); },
       {"warning DATA_FROZEN_JOINT joint 6 frame 310 to 599"}},
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
