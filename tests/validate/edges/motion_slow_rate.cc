// Faults of joints that move at 30 frames a second, where steps are large.

#include <algorithm>
#include <cmath>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

// Turns a joint back and forth from frame to frame.
void Shake(int32_t node, float degrees, int64_t first, int64_t last,
           Clip* clip) {
  for (int64_t t = first; t <= last; ++t) {
    ValueAt(clip, t, node, 0) += t % 2 == 0 ? degrees : -degrees;
  }
}

// A joint that swings up to frame 134 and moves slowly after that. The pose of
// frame 220 is off. Its usual kinks are so large that the whole clip proves
// nothing.
void SpikeWhereItIsCalm(float degrees, Clip* clip) {
  for (int64_t t = 0; t < clip->motion.frames; ++t) {
    for (const int k : {0, 1, 2}) ValueAt(clip, t, 3, k) = 0;
    const auto at = static_cast<float>(t);
    ValueAt(clip, t, 3, 1) = 0.05F * at;
    if (t < 135) ValueAt(clip, t, 3, 1) += 24 * std::sin(0.41888F * at);
  }
  AddTo(3, 1, degrees, 220, 220, clip);
}

std::vector<FaultCase> CalmPlaceEdges() {
  constexpr MotionShape k24 = {.frames = 300, .frames_per_second = 24};
  constexpr MotionShape k30 = {.frames = 300, .frames_per_second = 30};
  return {
      {"SpikeWhereTheJointIsCalm",
       k30,
       [](Clip* c) { SpikeWhereItIsCalm(9.5F, c); },
       {"warning DATA_SPIKE joint 3 frame 220"}},
      {"SmallSpikeWhereTheJointIsCalm",
       k30,
       [](Clip* c) { SpikeWhereItIsCalm(8.5F, c); },
       {}},
      {"SpikeWhereTheJointIsCalmAt24FramesASecond",
       k24,
       [](Clip* c) { SpikeWhereItIsCalm(12.5F, c); },
       {"warning DATA_SPIKE joint 3 frame 220"}},
      {"JumpAt20FramesASecond",
       {.frames = 200, .frames_per_second = 20},
       [](Clip* c) { AddTo(3, 1, 61, 100, 199, c); },
       {"warning DATA_JUMP joint 3 frame 100"}},
      {"JumpThatPeopleMakeAt20FramesASecond",
       {.frames = 200, .frames_per_second = 20},
       [](Clip* c) { AddTo(3, 1, 12, 100, 199, c); },
       {}},
      {"SmallSpikeWhereTheJointIsCalmAt24FramesASecond",
       k24,
       [](Clip* c) { SpikeWhereItIsCalm(11.5F, c); },
       {}},
  };
}

std::vector<FaultCase> FastJointEdges() {
  constexpr MotionShape kSlow = {.frames = 300, .frames_per_second = 30};
  return {
      {"LastRowOfZeros",
       {.frames = 120},
       [](Clip* c) {
         for (int32_t n = 1; n <= 10; ++n) {
           for (const int k : {0, 1, 2}) ValueAt(c, 119, n, k) = 0;
         }
       },
       {"hint DATA_LAST_FRAME_APART frame 119"}},
      {"JumpOfAMovingJoint",
       kSlow,
       [](Clip* c) { AddTo(3, 1, 40, 150, 299, c); },
       {"warning DATA_JUMP joint 3 frame 150"}},
      // The way of one channel is a turn longer than the rotation needs.
      {"TurnAllTheWayRound",
       kSlow,
       [](Clip* c) {
         for (int64_t t = 150; t < 300; ++t) {
           const auto steps = static_cast<float>(std::min<int64_t>(t - 149, 5));
           AddTo(3, 1, 72 * steps, t, t, c);
         }
       },
       {"warning DATA_SPIN joint 3 frame 150 to 153"}},
      {"RootThatTurnsAllTheWayRound",
       kSlow,
       [](Clip* c) {
         for (int64_t t = 150; t < 300; ++t) {
           const auto steps = static_cast<float>(std::min<int64_t>(t - 149, 5));
           for (const int k : {3, 4, 5}) ValueAt(c, t, 0, k) *= 0.05F;
           AddTo(0, 4, 72 * steps, t, t, c);
         }
       },
       {}},
      {"NoiseOfLargeAngles",
       kSlow,
       [](Clip* c) { Shake(3, 9, 30, 239, c); },
       {"warning DATA_JITTER joint 3 frame 30 to 59 x7"}},
      {"NoiseOfLargeAnglesForTwoSeconds",
       kSlow,
       [](Clip* c) { Shake(3, 9, 30, 89, c); },
       {"hint DATA_JITTER joint 3 frame 30 to 59 x2"}},
  };
}

}  // namespace

std::vector<FaultCase> SlowRateEdges() {
  std::vector<FaultCase> cases = FastJointEdges();
  const std::vector<FaultCase> calm = CalmPlaceEdges();
  cases.insert(cases.end(), calm.begin(), calm.end());
  return cases;
}

}  // namespace bvhmill::testing
