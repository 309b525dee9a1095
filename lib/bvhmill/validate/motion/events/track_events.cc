#include "bvhmill/validate/motion/events/track_events.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>

#include "bvhmill/validate/motion/events/cut_finder.h"

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
  const auto middle = static_cast<std::ptrdiff_t>(frames.size());
  frames.insert(frames.end(), more.frames.begin(), more.frames.end());
  std::inplace_merge(frames.begin(), frames.begin() + middle, frames.end());
  frames.resize(std::min(frames.size(), kMostListedFrames));
  last = std::max(last, more.last);
  events += more.events;
}

void GradedEvents::AddCalm(const TrackEvent& event) {
  const int32_t number = GradeOf(event.compared);
  // Those of another proof are farther than all others.
  const auto distance = [&](const Grade& g) {
    return g.proof == event.proof ? std::abs(g.number - number)
                                  : std::numeric_limits<int32_t>::max();
  };
  auto grade = std::min_element(calm.begin(), calm.end(),
                                [&](const Grade& a, const Grade& b) {
                                  return distance(a) < distance(b);
                                });
  const bool has_proof = grade != calm.end() && grade->proof == event.proof;
  const bool fits =
      has_proof && (grade->number == number || calm.size() >= kMostGrades);
  if (!fits) grade = calm.insert(calm.end(), {number, event.proof, 0, {}});
  grade->most = std::max(grade->most, event.compared);
  grade->tally.Add(event);
}

void GradedEvents::Add(const TrackEvent& event) {
  if (event.proof == Proof::kCertain) {
    certain.Add(event);
  } else {
    AddCalm(event);
  }
}

void EventList::Add(const TrackEvent& event, int slot) {
  if (slot < 0) {
    apart.Add(event);
  } else if (slot == CutFinder::kOthers) {
    at_others.Add(event);
  } else {
    at_candidates.push_back({slot, event});
  }
}

void EventList::Release(uint32_t slots) {
  std::erase_if(at_candidates, [&](const AtCandidate& at) {
    const bool is_released = (slots >> at.slot & 1) != 0;
    if (is_released) at_others.Add(at.event);
    return is_released;
  });
}

}  // namespace bvhmill
