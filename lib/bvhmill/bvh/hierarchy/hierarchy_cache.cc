#include "bvhmill/bvh/hierarchy/hierarchy_cache.h"

#include <atomic>
#include <string_view>
#include <utility>

namespace bvhmill {
namespace {

// The bytes that decide what a hierarchy is, with the word behind it; empty if
// that is not a whole MOTION, or if it is too long.
std::string_view DecidingText(const Cursor& end) {
  Cursor cursor = end;
  const Word word = cursor.Next();
  const size_t size = static_cast<size_t>(cursor.place().offset) + 1;
  if (!EqualsIgnoreCase(word.text, "MOTION") || size > cursor.text().size() ||
      size > static_cast<size_t>(kMostRememberedBytes)) {
    return {};
  }
  return cursor.text().substr(0, size);
}

// Into the memory of the names before.
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

bool Recall(const HierarchyMemo& memo, const Limits& limits, Cursor* cursor,
            Hierarchy* hierarchy) {
  if (!memo.is_read || !cursor->text().starts_with(memo.text) ||
      limits != memo.limits) {
    return false;
  }
  if (hierarchy->rig != memo.rig) {
    Clear(hierarchy);
    CopyNodes(memo.skeleton.nodes, hierarchy);
    hierarchy->skeleton.channels = memo.skeleton.channels;
    hierarchy->places = memo.places;
    hierarchy->rig = memo.rig;
  }
  hierarchy->ended = true;
  cursor->MoveLike(memo.end);
  return true;
}

void Remember(const Hierarchy& hierarchy, const Limits& limits,
              const Cursor& end, HierarchyMemo* memo) {
  const std::string_view text = DecidingText(end);
  const bool seen_before = !text.empty() && text == memo->text;
  if (text.empty() || !hierarchy.disputes.empty()) return;
  memo->limits = limits;
  // Not before it is.
  memo->is_read = false;
  if (!seen_before) {
    memo->text = text;
    return;
  }
  memo->end.MoveLike(end);
  memo->skeleton = hierarchy.skeleton;
  memo->places = hierarchy.places;
  memo->rig = NextRig();
  memo->is_read = true;
}

}  // namespace bvhmill
