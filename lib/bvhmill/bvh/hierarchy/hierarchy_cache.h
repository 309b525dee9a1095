#pragma once

// Keeps the hierarchy of the previous clip. Clips of the same skeleton begin
// with the same bytes, so their hierarchy need not be read again: they share
// it.

#include <cstdint>
#include <string>

#include "bvhmill/base/limits.h"
#include "bvhmill/bvh/hierarchy/hierarchy.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/text/cursor.h"

namespace bvhmill {

// A hierarchy with more text than this is not kept.
inline constexpr int64_t kMaxCachedBytes = int64_t{64} << 10;

// The results are the same with and without a cache. Only a hierarchy that
// logged nothing is kept, and it is used only for the same bytes within the
// same limits, with the same encoding of names. The first time, only the bytes
// are kept; the second time, the skeleton too. So clips of many different
// skeletons cost little more. Memory: a few times kMaxCachedBytes. Not
// thread-safe: one clip at a time.
struct HierarchyCache {
  // The bytes from the beginning of the file up to MOTION and one byte after
  // it.
  std::string text;
  Limits limits;
  TextEncoding names = TextEncoding::kUnknown;
  // The result of `text`; null while only `text` is kept.
  SharedSkeleton source;
  Cursor end{"", 0};
};

// Requires `cursor` at the beginning of its text. If the text starts with the
// bytes of `cache`, and `limits` and `names` are the same: makes `hierarchy`
// share the skeleton of the cache, moves `cursor` to the end of the hierarchy
// and returns true. Cost: one comparison of bytes.
bool FindCached(const HierarchyCache& cache, const Limits& limits,
                TextEncoding names, Cursor* cursor, Hierarchy* hierarchy);

// Stores a hierarchy that was read from the beginning of the text up to `end`.
// It must have logged nothing. If its skeleton is stored, `hierarchy` shares
// it. Stores nothing if the hierarchy has disputes, is longer than
// kMaxCachedBytes, or is not followed by a complete MOTION.
void StoreCached(const Limits& limits, TextEncoding names, const Cursor& end,
                 Hierarchy* hierarchy, HierarchyCache* cache);

}  // namespace bvhmill
