#pragma once

// Limits on clips that are not read from text. Private to pipeline/.

#include <cstdint>

#include "bvhmill/base/limits.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Logs the first limit that a clip with `skeleton` and `frames` exceeds. False
// if there is one. O(nodes).
bool CheckClipLimits(const Skeleton& skeleton, int64_t frames,
                     const Limits& limits, IssueLog* log);

}  // namespace bvhmill
