#include "bvhmill/bvh/hierarchy/hierarchy_cache.h"

#include <atomic>
#include <string_view>
#include <utility>

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

// Reuses the memory of the earlier names.
void CopyNodes(const std::vector<Node>& nodes, Hierarchy* hierarchy) {
  std::vector<std::string>& names = hierarchy->room.names;
  for (const Node& node : nodes) {
    Node& copy = hierarchy->skeleton.nodes.emplace_back();
    if (!names.empty()) {
      copy.name = std::move(names.back());
      names.pop_back();
    }
    copy = node;
  }
}

RigId NextRig() {
  static std::atomic<RigId> last = 0;
  return ++last;
}

}  // namespace

bool FindCached(const HierarchyCache& cache, const Limits& limits,
                Cursor* cursor, Hierarchy* hierarchy) {
  if (!cache.is_read || !cursor->text().starts_with(cache.text) ||
      limits != cache.limits) {
    return false;
  }
  if (hierarchy->rig != cache.rig) {
    Clear(hierarchy);
    CopyNodes(cache.skeleton.nodes, hierarchy);
    hierarchy->skeleton.channels = cache.skeleton.channels;
    hierarchy->places = cache.places;
    hierarchy->rig = cache.rig;
  }
  hierarchy->ended = true;
  cursor->MoveLike(cache.end);
  return true;
}

void StoreCached(const Hierarchy& hierarchy, const Limits& limits,
                 const Cursor& end, HierarchyCache* cache) {
  const std::string_view text = DecidingText(end);
  const bool seen_before = !text.empty() && text == cache->text;
  if (text.empty() || !hierarchy.disputes.empty()) return;
  cache->limits = limits;
  // Stays false until the copy below is complete.
  cache->is_read = false;
  if (!seen_before) {
    cache->text = text;
    return;
  }
  cache->end.MoveLike(end);
  cache->skeleton = hierarchy.skeleton;
  cache->places = hierarchy.places;
  cache->rig = NextRig();
  cache->is_read = true;
}

}  // namespace bvhmill
