#pragma once

// Takes over a clip in memory as if it had been read. Private to pipeline/.

#include "absl/status/status.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// INVALID_ARGUMENT "field: why" unless the fields of `clip` fit together.
absl::Status CheckRows(const ClipRows& clip);

// Copies `clip` into `read`, which is empty. Leaves it so if the clip exceeds a
// limit, or if the budget refuses its memory. O(rows).
void CopyClip(const ClipRows& clip, const ReadOptions& options, IssueLog* log,
              ParsedClip* read);

}  // namespace bvhmill
