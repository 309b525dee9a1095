#pragma once

// Applies the motion rules of rules.inc to a clip, in several threads if the
// clip is long. The issues do not depend on the number of threads.
//
//   MotionMemory memory;  // kept from clip to clip
//   BVHMILL_RETURN_IF_ERROR(
//       CheckMotion(clip, parallel, budget, &memory, log));

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/checked_clip.h"
#include "bvhmill/validate/motion/motion_block.h"
#include "bvhmill/validate/motion/motion_clip.h"

namespace bvhmill {

// Buffers that are reused from clip to clip. One thread at a time.
struct MotionMemory {
  MotionClip clip;
  BlockReader reader;
  std::vector<uint8_t> moving_columns;
  // The blocks of a range, which one thread searches. Sums are added up by
  // ranges, so they do not depend on the number of threads. Tests make ranges
  // short.
  int64_t range_blocks = 32;

  // The bytes of its large arrays.
  size_t KeptBytes() const;
};

// Logs what the motion rules find, and DATA_FRAME_TIME_ODD for frame times
// above zero (the reader logs the others). Writes the facts of clip.motion; its
// moving_columns refer to `memory`. Draws its memory from `budget`, and polls
// it. Fails with the status of the budget. O(values).
absl::Status CheckMotion(const CheckedClip& clip, Parallel* parallel,
                         Budget* budget, MotionMemory* memory, IssueLog* log);

}  // namespace bvhmill
