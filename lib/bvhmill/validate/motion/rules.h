#pragma once

// The factories of the motion rules. Private to validate/motion/.

#include <memory>

#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {

// DATA_FROZEN_CLIP, DATA_FROZEN_FRAMES, DATA_REPEATED_FRAMES.
std::unique_ptr<MotionRule> MakeStillRules();
// DATA_SPIKE, DATA_JUMP.
std::unique_ptr<MotionRule> MakeEventRules();
// DATA_SPIN.
std::unique_ptr<MotionRule> MakeSpinRule();
// DATA_JITTER.
std::unique_ptr<MotionRule> MakeJitterRule();
// DATA_FROZEN_JOINT.
std::unique_ptr<MotionRule> MakeFrozenJointRule();
// DATA_INTERPOLATED, DATA_TEMPO_ODD.
std::unique_ptr<MotionRule> MakeTempoRules();
// DATA_EULER_FLIP.
std::unique_ptr<MotionRule> MakeEulerFlipRule();
// DATA_GIMBAL_NEAR.
std::unique_ptr<MotionRule> MakeGimbalRule();

}  // namespace bvhmill
