#pragma once

// Options for reading a clip.

#include <cstddef>
#include <cstdint>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/text_encoding.h"

namespace bvhmill {

class Budget;
class Parallel;
struct HierarchyCache;

// The kinds of CPU that rows can be scanned for: text/rows.h.
enum class RowsTarget : uint8_t;
RowsTarget BestRowsTarget();

// Default number of bytes that a reader looks ahead after an irregular line.
inline constexpr size_t kLookAheadBytes = size_t{1} << 20;

// Bytes of text that a reader may keep without drawing them from the budget.
inline constexpr size_t kFreeTextBytes = size_t{1} << 20;

// Only `limits`, `name_encoding` and `look_ahead_bytes` affect the results.
struct ReadOptions {
  Limits limits;
  // The encoding of the names, if the caller knows it.
  TextEncoding name_encoding = TextEncoding::kUnknown;
  // Bytes after an irregular line that are examined before the layout of the
  // rows is decided.
  size_t look_ahead_bytes = kLookAheadBytes;
  // May be null. When it is cancelled, reading stops early, without a fault in
  // the log.
  const CancelToken* cancel = nullptr;
  // Memory that grows with the text is drawn from it: for rows that are kept,
  // and for text that is kept beyond kFreeTextBytes. If the budget
  // refuses, reading stops early, without a fault in the log. Null means: no
  // limit.
  Budget* budget = nullptr;
  // Must be supported by this machine.
  RowsTarget target = BestRowsTarget();
  // Threads for many rows that come at once. Null means: only the calling
  // thread.
  Parallel* parallel = nullptr;
  // Keeps the hierarchy for the next clip. Null means: each hierarchy is read.
  // Used for one clip at a time.
  HierarchyCache* cache = nullptr;
};

}  // namespace bvhmill
