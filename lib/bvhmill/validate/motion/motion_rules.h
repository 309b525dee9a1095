#pragma once

// Applies the rules of rules.inc.

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/checked_clip.h"
#include "bvhmill/validate/motion/motion_block.h"

namespace bvhmill {

// Memory that is kept from clip to clip.
struct MotionMemory {
  MotionClip clip;
  BlockReader reader;
  std::vector<uint8_t> moving_columns;
  // The blocks of a range, which one thread looks at. The sums are added up by
  // ranges, so that they do not depend on the number of threads. Tests make
  // ranges short.
  int64_t range_blocks = 32;

  // The bytes of its large arrays.
  size_t KeptBytes() const;
};

// Logs what the motion rules find, and writes the facts of clip.motion. Works
// in several threads if the clip is long; the issues do not depend on how many.
// Draws its memory from `budget`, and polls it. Fails with the status of the
// budget. O(values).
absl::Status CheckMotion(const CheckedClip& clip, Parallel* parallel,
                         Budget* budget, MotionMemory* memory, IssueLog* log);

}  // namespace bvhmill
