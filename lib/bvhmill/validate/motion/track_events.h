#pragma once

// Spikes and jumps of one track. Private to validate/motion/.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bvhmill/math/linear.h"

namespace bvhmill {

// How an event is proved.
enum class Proof : uint8_t {
  // By itself.
  kCertain,
  // It must be large for the usual kink of the track, or for its mean step.
  kCalmKink,
  kCalmStep,
};

// The pose leaves its way at `frame` and is back after `frames` frames. A jump
// has 0 frames: it does not come back.
struct TrackEvent {
  int64_t frame = 0;
  int32_t frames = 0;
  Proof proof = Proof::kCertain;
  // Degrees, or shares of the reach.
  float size = 0;
  // Compared with the usual kink or the mean step.
  float compared = 0;
  // The size that issues state.
  float stated = 0;
};

// How many events there are, from which frame to which, and the largest of
// them; of equal ones the first.
struct EventTally {
  int64_t events = 0;
  int64_t first = 0;
  int64_t last = 0;
  TrackEvent worst;

  void Add(const TrackEvent& event) {
    Add(EventTally{1, event.frame, event.frame, event});
  }
  void Add(const EventTally& more);
};

// The events of one kind. Some are proved at the end of the clip only: those at
// candidates for a cut, of which there are few at any time, and those of calm
// joints, which are counted by grades of their size.
struct EventList {
  // Bounds the memory of a joint with events of many sizes.
  static constexpr size_t kMostGrades = 16;

  // Events whose sizes are within 5 % of each other; or those of the nearest
  // grade, once there are kMostGrades. They are proved or not together, by the
  // largest.
  struct Grade {
    int32_t number = 0;
    Proof proof = Proof::kCertain;
    float most = 0;
    EventTally tally;
  };
  struct AtCandidate {
    int slot = 0;
    TrackEvent event;
  };

  // Certain events at no candidate.
  EventTally certain;
  std::vector<Grade> calm;
  std::vector<AtCandidate> at_candidates;

  // Adds an event; `slot` is that of a candidate for a cut, or -1.
  void Add(const TrackEvent& event, int slot);
  // Forgets the events at candidates in `slots`, which is a set of bits.
  void Drop(uint32_t slots);

 private:
  void AddCalm(const TrackEvent& event);
};

// The events of a track that has any.
struct TrackEvents {
  size_t track = 0;
  EventList spikes;
  EventList jumps;
  // A jump that may be the begin of a spike: the pose before it.
  bool has_open = false;
  TrackEvent open;
  int open_slot = -1;
  Quat<double> pose;
};

}  // namespace bvhmill
