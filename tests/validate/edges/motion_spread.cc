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

// A joint that rests turns by `amount` from frame 222 on.
void RampFromRest(float amount, int64_t steps, Clip* clip) {
  StandStill(4, clip);
  Ramp(4, amount, 222, steps, clip);
}

// A joint that turns by `way` in the whole clip turns by `amount` more in three
// steps.
void RampOnTheWay(float way, float amount, Clip* clip) {
  StandStill(4, clip);
  Ramp(4, way, 0, 600, clip);
  Ramp(4, amount, 222, 3, clip);
}

// Jumps that are quicker than people.
std::vector<FaultCase> QuickCases() {
  const MotionShape usual;
  return {
      {"QuickJumpInThreeSteps",
       usual,
       [](Clip* c) { RampFromRest(18, 3, c); },
       {"warning DATA_JUMP joint 4 frame 222 to 224"}},
      // It turns by 2.4 degrees a frame before and after the jump, and by 32
      // degrees in it, which is less than 15 mean steps.
      {"QuickJumpOfAMovingJoint",
       usual,
       [](Clip* c) { RampOnTheWay(1440, 25, c); },
       {"warning DATA_JUMP joint 4 frame 222 to 224"}},
      {"QuickJumpOfThePosition",
       usual,
       [](Clip* c) {
         StandStill(0, c);
         Ramp(0, 6, 0, 600, c);
         Ramp(0, 0.24F, 222, 3, c);
       },
       {"warning DATA_JUMP joint 0 frame 222 to 224"},
       {{"kind", "position"}}},
  };
}

// Jumps that are just not quick.
std::vector<FaultCase> AlmostQuickCases() {
  const MotionShape usual;
  return {
      // Steps of 6 degrees are too quick at 120 frames a second, but not at 60.
      {"JumpInThreeStepsAtHalfTheRate",
       {.frames = 300, .frames_per_second = 60},
       [](Clip* c) { RampFromRest(18, 3, c); },
       {}},
      {"QuickJumpInThreeStepsByLess",
       usual,
       [](Clip* c) { RampFromRest(13, 3, c); },
       {}},
      {"QuickJumpOfAJointThatMovesFast",
       usual,
       [](Clip* c) { RampOnTheWay(2400, 25, c); },
       {}},
      // The steps are 3.8 degrees longer than those before and after them.
      {"QuickJumpOfAMovingJointByLess",
       usual,
       [](Clip* c) { RampOnTheWay(720, 11.4F, c); },
       {}},
      {"QuickJumpOfSixDegrees",
       {.frames_per_second = 240},
       [](Clip* c) { RampFromRest(6, 2, c); },
       {}},
      // Six times the steps before and after it are not enough at this rate.
      {"SlowJumpOfAJointThatMovesMeanwhile",
       {.frames = 300, .frames_per_second = 60},
       [](Clip* c) {
         StandStill(4, c);
         Ramp(4, 50, 130, 25, c);
         Ramp(4, 20, 142, 2, c);
       },
       {}},
  };
}

std::vector<FaultCase> SlowCases() {
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
       [](Clip* c) { RampFromRest(50, 2, c); },
       {"warning DATA_JUMP joint 4 frame 222 to 223"}},
      {"JumpInFourSteps", usual, [](Clip* c) { Ramp(4, 60, 222, 4, c); }, {}},
      {"JumpInTwoSmallSteps",
       usual,
       [](Clip* c) { Ramp(4, 8, 222, 2, c); },
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

}  // namespace

std::vector<FaultCase> SpreadCases() {
  std::vector<FaultCase> cases;
  for (const auto& some : {SlowCases(), QuickCases(), AlmostQuickCases()}) {
    cases.insert(cases.end(), some.begin(), some.end());
  }
  return cases;
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
