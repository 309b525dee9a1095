#pragma once

// Remembers the hierarchy of the clip before, for takes of one rig that are
// read one after another: they begin with the same bytes.

#include <cstdint>
#include <string>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/text_position.h"
#include "bvhmill/bvh/hierarchy/hierarchy.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/text/cursor.h"

namespace bvhmill {

// A hierarchy of more text is not remembered.
inline constexpr int64_t kMaxCachedBytes = int64_t{64} << 10;

// What is read with it is the same as without: only a hierarchy that gave
// nothing to log is remembered, and only for the same bytes within the same
// limits. Bytes are kept when they are seen first, and what they say when they
// are seen again, so that clips of many rigs cost little more. Memory: some
// times kMaxRememberedBytes. One clip at a time.
struct HierarchyCache {
  // Up to and with the byte behind MOTION.
  std::string text;
  Limits limits;
  // What `text` says; else only `text` is kept.
  bool is_read = false;
  // What skeleton and places are known by: never again used for others.
  RigId rig = 0;
  Cursor end{"", 0};
  Skeleton skeleton;
  std::vector<TextPosition> places;
};

// If `cursor`, at the beginning of its text, stands before the bytes of
// `cache`: fills `hierarchy`, whatever it holds, moves to where reading ended,
// and returns true. Cost: a comparison of bytes, and O(nodes) unless
// `hierarchy` has the rig already.
bool FindCached(const HierarchyCache& cache, const Limits& limits,
                Cursor* cursor, Hierarchy* hierarchy);

// Takes a hierarchy that was read from the beginning of the text up to `end`
// and gave nothing to log.
void StoreCached(const Hierarchy& hierarchy, const Limits& limits,
                 const Cursor& end, HierarchyCache* cache);

}  // namespace bvhmill
