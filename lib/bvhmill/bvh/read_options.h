#pragma once

// How a clip is read: the same for whole texts and for streams.

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/text/rows.h"

namespace bvhmill {

// The results depend on the limits only.
struct ReadOptions {
  Limits limits;
  // Reading stops early, without a fault in the log, when it is set.
  const CancelToken* cancel = nullptr;
  // Must be supported by this machine.
  RowsTarget target = BestRowsTarget();
  // For rows of long texts that are in memory as a whole; none = this thread
  // alone.
  Parallel* parallel = nullptr;
  // Kept by callers that read many clips; none = one for each call.
  RowsWorkspace* workspace = nullptr;
};

}  // namespace bvhmill
