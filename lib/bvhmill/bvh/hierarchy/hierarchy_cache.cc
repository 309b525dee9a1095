#include "bvhmill/bvh/hierarchy/hierarchy_cache.h"

#include <string_view>

namespace bvhmill {
namespace {

// The bytes that determine the hierarchy, the word after it included. Empty if
// that word is not a complete MOTION, or if the text is too long.
std::string_view DecidingText(const Cursor& end) {
  Cursor cursor = end;
  const Word word = cursor.Next();
  const size_t size = static_cast<size_t>(cursor.place().offset) + 1;
  if (!EqualsIgnoreCase(word.text, "MOTION") || size > cursor.text().size() ||
      size > static_cast<size_t>(kMaxCachedBytes)) {
    return {};
  }
  return cursor.text().substr(0, size);
}

}  // namespace

bool FindCached(const HierarchyCache& cache, const Limits& limits,
                TextEncoding names, Cursor* cursor, Hierarchy* hierarchy) {
  if (cache.source == nullptr || !cursor->text().starts_with(cache.text) ||
      limits != cache.limits || names != cache.names) {
    return false;
  }
  Clear(hierarchy);
  hierarchy->source = cache.source;
  hierarchy->ended = true;
  cursor->MoveLike(cache.end);
  return true;
}

void StoreCached(const Limits& limits, TextEncoding names, const Cursor& end,
                 Hierarchy* hierarchy, HierarchyCache* cache) {
  const std::string_view text = DecidingText(end);
  const bool seen_before = !text.empty() && text == cache->text;
  if (text.empty() || !hierarchy->disputes.empty()) return;
  cache->limits = limits;
  cache->names = names;
  cache->source.reset();
  if (!seen_before) {
    cache->text = text;
    return;
  }
  cache->end.MoveLike(end);
  ShareSkeleton(hierarchy);
  cache->source = hierarchy->source;
}

}  // namespace bvhmill
