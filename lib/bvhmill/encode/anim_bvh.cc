#include "bvhmill/encode/anim_bvh.h"

#include "bvhmill/base/status.h"
#include "bvhmill/bvh/writer.h"

namespace bvhmill {

absl::Status WriteAnimAsBvh(const AnimMotion& motion,
                            const AnimToClipOptions& options, Sink* sink,
                            IssueLog* log) {
  const int64_t faults = log->faults();
  Clip clip;
  BVHMILL_RETURN_IF_ERROR(AnimToClip(motion, options, &clip, log));
  if (log->faults() > faults) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      "the .anim cannot be converted to a BVH clip");
  }
  return WriteBvh(clip, {}, sink);
}

}  // namespace bvhmill
