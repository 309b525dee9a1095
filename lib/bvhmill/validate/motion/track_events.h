#pragma once

// Spikes and jumps of one track. Private to validate/motion/.

#include <array>
#include <cstdint>

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

// The largest events of one kind, and how many there are. Events at candidates
// for a cut are counted by the slot of the candidate, until the verdict about
// it is known.
struct EventList {
  static constexpr size_t kKept = 8;

  std::array<TrackEvent, kKept> events;
  int32_t kept = 0;
  // Certain events at no candidate.
  int64_t certain = 0;
  int64_t first = 0;
  int64_t last = 0;
  // Slots of candidates at which there is a certain event, as bits.
  uint32_t slots = 0;

  // Adds an event; `slot` is that of a candidate for a cut, or -1.
  void Add(const TrackEvent& event, int slot);
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
