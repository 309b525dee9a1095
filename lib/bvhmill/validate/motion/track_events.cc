#include "bvhmill/validate/motion/track_events.h"

#include <algorithm>
#include <cmath>

namespace bvhmill {
namespace {

// The ratio of the bounds of a grade, and the least size that has one.
constexpr double kGradeRatio = 1.05;
constexpr float kLeastGraded = 0.01F;

int32_t GradeOf(float size) {
  const double graded = std::max(size, kLeastGraded);
  return static_cast<int32_t>(
      std::floor(std::log(graded) / std::log(kGradeRatio)));
}

}  // namespace

void EventTally::Add(const EventTally& more) {
  if (more.events == 0) return;
  const bool is_worse =
      events == 0 || more.worst.size > worst.size ||
      (more.worst.size == worst.size && more.worst.frame < worst.frame);
  if (is_worse) worst = more.worst;
  first = events == 0 ? more.first : std::min(first, more.first);
  last = std::max(last, more.last);
  events += more.events;
}

void EventList::AddCalm(const TrackEvent& event) {
  const int32_t number = GradeOf(event.compared);
  auto grade = std::find_if(calm.begin(), calm.end(), [&](const Grade& g) {
    return g.number == number && g.proof == event.proof;
  });
  if (grade == calm.end()) {
    grade = calm.insert(grade, {number, event.proof, 0, {}});
  }
  grade->most = std::max(grade->most, event.compared);
  grade->tally.Add(event);
}

void EventList::Add(const TrackEvent& event, int slot) {
  if (slot >= 0) {
    at_candidates.push_back({slot, event});
  } else if (event.proof == Proof::kCertain) {
    certain.Add(event);
  } else {
    AddCalm(event);
  }
}

void EventList::Drop(uint32_t slots) {
  std::erase_if(at_candidates, [slots](const AtCandidate& at) {
    return (slots >> at.slot & 1) != 0;
  });
}

}  // namespace bvhmill
