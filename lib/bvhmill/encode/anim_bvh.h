#pragma once

// .anim as BVH text.

#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/anim/anim_to_clip.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Writes `motion` as AnimToClip and WriteBvh do. FAILED_PRECONDITION, and
// nothing is written, if there is no clip of it: the log says why.
absl::Status WriteAnimAsBvh(const AnimMotion& motion,
                            const AnimToClipOptions& options, Sink* sink,
                            IssueLog* log);

}  // namespace bvhmill
