// Jumps that are spread over several frames.

#include <algorithm>
#include <vector>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

// Adds `amount` for good, in equal steps to the frames from `first` on.
void Ramp(int32_t node, float amount, int64_t first, int64_t steps,
          Clip* clip) {
  for (int64_t t = first; t < clip->motion.frames; ++t) {
    const auto done = static_cast<float>(std::min(steps, t - first + 1));
    ValueAt(clip, t, node, 0) += amount * done / static_cast<float>(steps);
  }
}

}  // namespace

std::vector<FaultCase> SpreadCases() {
  const MotionShape usual;
  return {
      {"JumpInTwoSteps",
       usual,
       [](Clip* c) { Ramp(4, 50, 222, 2, c); },
       {"warning DATA_JUMP joint 4 frame 222 to 223"},
       {{"within", "2 frames"}}},
      {"JumpInThreeSteps",
       usual,
       [](Clip* c) { Ramp(4, 60, 222, 3, c); },
       {"warning DATA_JUMP joint 4 frame 222 to 224"},
       {{"within", "3 frames"}}},
      {"JumpInTwoStepsOfAJointThatRests",
       usual,
       [](Clip* c) {
         StandStill(4, c);
         Ramp(4, 50, 222, 2, c);
       },
       {"warning DATA_JUMP joint 4 frame 222 to 223"}},
      {"JumpInFourSteps", usual, [](Clip* c) { Ramp(4, 60, 222, 4, c); }, {}},
      {"JumpInTwoSmallSteps",
       usual,
       [](Clip* c) { Ramp(4, 13, 222, 2, c); },
       {}},
      {"JumpInUnevenSteps",
       usual,
       [](Clip* c) {
         AddTo(4, 0, 40, 222, 599, c);
         AddTo(4, 0, 13, 223, 599, c);
       },
       {"warning DATA_JUMP joint 4 frame 222 to 223"}},
      // The reach is 10.
      {"JumpOfThePositionInTwoSteps",
       usual,
       [](Clip* c) { Ramp(0, 2, 222, 2, c); },
       {"warning DATA_JUMP joint 0 frame 222 to 223"},
       {{"kind", "position"}, {"within", "2 frames"}}},
      {"SmallJumpOfThePositionInTwoSteps",
       usual,
       [](Clip* c) { Ramp(0, 0.3F, 222, 2, c); },
       {}},
  };
}

std::vector<FaultCase> ThereAndBackCases() {
  const MotionShape usual;
  const MotionShape quick = {
      .frames = 300, .frames_per_second = 30, .tempo = 2.5};
  return {
      {"ThereAndBackInTwoStepsEach",
       usual,
       [](Clip* c) {
         Ramp(4, 50, 222, 2, c);
         Ramp(4, -50, 228, 2, c);
       },
       {"warning DATA_SPIKE joint 4 frame 222 to 227"},
       {{"frames", "6"}}},
      {"ThereAndBackOfAQuickJoint",
       quick,
       [](Clip* c) { AddTo(3, 1, 70, 97, 98, c); },
       {"warning DATA_SPIKE joint 3 frame 97 to 98"}},
      {"ThereAndBackOfAQuickJointByLess",
       quick,
       [](Clip* c) { AddTo(3, 1, 40, 97, 98, c); },
       {}},
  };
}

}  // namespace bvhmill::testing
