#pragma once

// The factories of the motion rules; rules.inc says what each finds. Private to
// validate/motion/.

#include <memory>

#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {

#define BVHMILL_MOTION_RULE(factory) \
  std::unique_ptr<MotionRule> factory(const MotionClip& clip);
#include "bvhmill/validate/motion/rules.inc"
#undef BVHMILL_MOTION_RULE

}  // namespace bvhmill
