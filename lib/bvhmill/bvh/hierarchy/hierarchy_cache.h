#pragma once

// Keeps the hierarchy of the previous clip. Takes of one skeleton that are read
// one after another begin with the same bytes, and share what is kept.

#include <cstdint>
#include <string>

#include "bvhmill/base/limits.h"
#include "bvhmill/bvh/hierarchy/hierarchy.h"
#include "bvhmill/bvh/source_skeleton.h"
#include "bvhmill/text/cursor.h"

namespace bvhmill {

// A hierarchy of more text is not remembered.
inline constexpr int64_t kMaxCachedBytes = int64_t{64} << 10;

// Results are the same with a cache and without one: only a hierarchy that gave
// nothing to log is kept, and it is found only for the same bytes within the
// same limits. The first clip leaves its bytes, the second one the skeleton, so
// that clips of many skeletons cost little more. Memory: some times
// kMaxCachedBytes. One clip at a time.
struct HierarchyCache {
  // The bytes up to MOTION and the byte after it.
  std::string text;
  Limits limits;
  // What `text` says; null while only `text` is kept.
  SharedSkeleton source;
  Cursor end{"", 0};
};

// If `cursor`, at the beginning of its text, stands before the bytes of
// `cache`: makes `hierarchy` share the skeleton, moves to where reading ended,
// and returns true. Cost: a comparison of bytes.
bool FindCached(const HierarchyCache& cache, const Limits& limits,
                Cursor* cursor, Hierarchy* hierarchy);

// Keeps a hierarchy that was read from the beginning of the text up to `end`
// and gave nothing to log. If its skeleton is kept, it is shared.
void StoreCached(const Limits& limits, const Cursor& end, Hierarchy* hierarchy,
                 HierarchyCache* cache);

}  // namespace bvhmill
