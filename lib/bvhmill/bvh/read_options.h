#pragma once

// How a clip is read: the same for whole texts and for streams.

#include <cstdint>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/text/rows.h"

namespace bvhmill {

class Budget;
class Parallel;
struct HierarchyCache;

// How far a reader looks ahead where a line is odd, by default.
inline constexpr size_t kLookAheadBytes = size_t{1} << 20;

// Text of a clip that a stream keeps without being asked for it.
inline constexpr size_t kFreeTextBytes = size_t{1} << 20;

// The results depend on the limits and on look_ahead_bytes only.
struct ReadOptions {
  Limits limits;
  // Text behind an odd line that is looked at before it is decided what the
  // rows are; a stream keeps so much of it.
  size_t look_ahead_bytes = kLookAheadBytes;
  // Reading stops early, without a fault in the log, when it is set.
  const CancelToken* cancel = nullptr;
  // Memory that grows with the text is drawn from it: for rows that are kept,
  // and for text that a stream keeps beyond kFreeTextBytes. If it refuses,
  // reading stops early, without a fault in the log. None = no limit.
  Budget* budget = nullptr;
  // Must be supported by this machine.
  RowsTarget target = BestRowsTarget();
  // For rows of long texts that are in memory as a whole; none = this thread
  // alone.
  Parallel* parallel = nullptr;
  // Remembers the hierarchy for the next clip. None = each is read. One clip at
  // a time.
  HierarchyCache* cache = nullptr;
};

}  // namespace bvhmill
