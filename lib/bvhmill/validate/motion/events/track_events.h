#pragma once

// Spikes and jumps of one track. Private to validate/motion/.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bvhmill/math/linear.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

// How an event is proved.
enum class Proof : uint8_t {
  // By itself.
  kCertain,
  // If `compared` is many times the usual kink of the track.
  kCalmKink,
  // If `compared` is many times the mean step of the track; fewer times if the
  // pose comes back.
  kCalmStep,
  kCalmReturn,
  // Never. It may be one end of a spike.
  kEndOfSpike,
};

// The frames next to a jump in which the track is calm: its kinks are much
// smaller. Very calm ones prove the end of a spike.
enum JumpSide {
  kCalmBefore = 1,
  kCalmAfter = 2,
  kVeryCalmBefore = 4,
  kVeryCalmAfter = 8
};

// The pose leaves its way at `frame` and is back after `frames` frames. A jump
// has 0 frames: it does not come back.
struct TrackEvent {
  int64_t frame = 0;
  int32_t frames = 0;
  Proof proof = Proof::kCertain;
  // Degrees, or shares of the reach.
  float size = 0;
  // The kink or step that `proof` compares, in the unit of `size`.
  float compared = 0;
  // The size that issues state.
  float stated = 0;
  // Bits of JumpSide; 0 for a spike.
  int sides = 0;
  // A jump may be spread over 2 or 3 steps, the first of which leads to
  // `frame`.
  int32_t steps = 1;
};

// The number of events, the frames at which they begin, and the largest event;
// of equal ones the first.
struct EventTally {
  int64_t events = 0;
  // The first kMostListedFrames frames, ascending, and the last one of all.
  std::vector<int64_t> frames;
  int64_t last = 0;
  TrackEvent worst;

  void Add(const TrackEvent& event) {
    Add(EventTally{1, {event.frame}, event.frame, event});
  }
  void Add(const EventTally& more);
};

// The number of certain events, and of events of calm joints in grades of
// `compared`. The latter are proved only at the end of the clip.
struct GradedEvents {
  // Bounds the memory of a joint with events of many sizes. A proof that has no
  // grade yet still gets one.
  static constexpr size_t kMostGrades = 16;

  // Events of one proof whose `compared` are within 5 % of each other. Once
  // there are kMostGrades, an event joins the nearest grade of its proof. The
  // largest `compared` proves all events of the grade.
  struct Grade {
    int32_t number = 0;
    Proof proof = Proof::kCertain;
    float most = 0;
    EventTally tally;
  };

  EventTally certain;
  std::vector<Grade> calm;

  void Add(const TrackEvent& event);

 private:
  void AddCalm(const TrackEvent& event);
};

// The events of one kind. It is known only at the end of the clip whether a
// candidate for a cut is one. Events at a candidate that is kept are kept, too:
// there are few of them at any time.
struct EventList {
  struct AtCandidate {
    int slot = 0;
    TrackEvent event;
  };

  // Events at no candidate, and at candidates that are not kept.
  GradedEvents apart;
  GradedEvents at_others;
  std::vector<AtCandidate> at_candidates;

  // Adds an event; `slot` is that of a candidate for a cut, or -1.
  void Add(const TrackEvent& event, int slot);
  // The candidates in `slots`, which is a set of bits, are not kept any more.
  void Release(uint32_t slots);
};

// The events of a track that has any.
struct TrackEvents {
  size_t track = 0;
  EventList spikes;
  EventList jumps;
  // The last jump, if it may begin a spike: its slot, and the pose before it.
  bool has_open = false;
  TrackEvent open;
  int open_slot = -1;
  Quat<double> pose;
};

}  // namespace bvhmill
