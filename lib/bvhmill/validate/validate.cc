#include "bvhmill/validate/validate.h"

#include "bvhmill/base/status.h"
#include "bvhmill/validate/rules.h"

namespace bvhmill {

absl::Status Validate(const CheckedClip& clip, bool with_data,
                      Parallel* parallel, Budget* budget, MotionMemory* memory,
                      IssueLog* log) {
  if (!with_data) {
    CheckSamples(clip, log);
    return absl::OkStatus();
  }
  // Each may use the facts that the ones before it wrote.
  BVHMILL_RETURN_IF_ERROR(CheckMotion(clip, parallel, budget, memory, log));
  CheckSamples(clip, log);
  CheckPoses(clip, log);
  CheckPositions(clip, log);
  CheckFloor(clip, log);
  return absl::OkStatus();
}

}  // namespace bvhmill
