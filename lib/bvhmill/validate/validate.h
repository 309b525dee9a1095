#pragma once

// Applies the rules about a clip that was read. They find clips that are
// well-formed but probably not as intended.

#include <memory>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/checked_clip.h"
#include "bvhmill/validate/motion/motion_rules.h"

namespace bvhmill {

// Applies all rules, logs what they find, and writes the facts of clip.motion.
// Without `with_data`, for a caller that lists no DATA_* issue, applies only
// CheckSamples (rules.h). Draws its memory from `budget`; fails with the status
// of the budget. O(values).
absl::Status Validate(const CheckedClip& clip, bool with_data,
                      Parallel* parallel, Budget* budget, MotionMemory* memory,
                      IssueLog* log);

}  // namespace bvhmill
