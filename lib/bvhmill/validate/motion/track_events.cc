#include "bvhmill/validate/motion/track_events.h"

#include <algorithm>

namespace bvhmill {

void EventList::Add(const TrackEvent& event, int slot) {
  if (event.proof == Proof::kCertain) {
    if (slot >= 0) {
      slots |= 1U << slot;
    } else {
      first = certain == 0 ? event.frame : std::min(first, event.frame);
      last = certain == 0 ? event.frame : std::max(last, event.frame);
      ++certain;
    }
  }
  if (kept < static_cast<int32_t>(kKept)) {
    events[static_cast<size_t>(kept++)] = event;
    return;
  }
  const auto smallest = std::min_element(
      events.begin(), events.end(),
      [](const TrackEvent& a, const TrackEvent& b) { return a.size < b.size; });
  if (event.size > smallest->size) *smallest = event;
}

}  // namespace bvhmill
