#pragma once

// A clip as a reader fills it, and the options for reading it.

#include <cstddef>
#include <cstdint>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/text.h"
#include "bvhmill/bvh/hierarchy.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

class Budget;
class Parallel;

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
  // and for text that is kept beyond kFreeTextBytes. If the budget refuses,
  // reading stops early, without a fault in the log. Null: no limit.
  Budget* budget = nullptr;
  // Must be supported by this machine.
  RowsTarget target = BestRowsTarget();
  // Threads for many rows that come at once. Null: only the calling thread.
  Parallel* parallel = nullptr;
  // Caches the hierarchy for the next clip. Null: each hierarchy is read. Used
  // for one clip at a time.
  HierarchyCache* cache = nullptr;
};

struct ParsedClip {
  // The skeleton, which other clips may share; null unless it was read.
  SharedSkeleton source;
  Motion motion;
  // The number of frames that the file states, which may be wrong; 0 if it
  // states none.
  int64_t declared_frames = 0;
  // True if the hierarchy is valid.
  bool skeleton_read = false;
  // True if the rows are valid too: the clip is complete. If false while the
  // skeleton is valid, the clip has the rows before the first fault.
  bool motion_read = false;
  // Memory for the next clip that is read into this one.
  HierarchyRoom room;
};

// Empties the clip and keeps its memory for the next one.
void MakeEmpty(ParsedClip* clip);

// `clip` with a copy of the skeleton. The rows are moved.
Clip ClipOf(ParsedClip&& clip);

// Locations of a report.

// The location of `node` at position `place`.
Location LocationAt(const TextPosition& place, const Skeleton& skeleton,
                    int32_t node);

// The location of the value in `frame` and `column` of MOTION, at position
// `place`.
Location LocationAt(const TextPosition& place, const Skeleton& skeleton,
                    int64_t frame, int64_t column);

}  // namespace bvhmill
