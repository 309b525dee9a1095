#pragma once

// Writes .anim motions as BVH text.

#include "absl/status/status.h"
#include "bvhmill/anim/anim_to_clip.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Converts `motion` with AnimToClip and writes the clip with WriteBvh.
// FAILED_PRECONDITION, with nothing written, if the motion cannot be converted;
// errors in `log` say why. Other errors are those of AnimToClip and of `sink`.
absl::Status WriteAnimAsBvh(const AnimMotion& motion,
                            const AnimToClipOptions& options, Sink* sink,
                            IssueLog* log);

}  // namespace bvhmill
