#pragma once

// Lets threads work on numbered pieces in parallel and pass the results on in
// order.
//
// Each thread repeats this:
//
//   const int64_t piece = sequencer.Take();
//   OrderedSequencer::Slot slot(&sequencer, piece);
//   ...work on the piece...
//   slot.Wait();
//   ...pass the result on; no other thread does so now...

#include <atomic>
#include <cstdint>
#include <exception>

#include "bvhmill/base/wait_until.h"

namespace bvhmill {

// Thread-safe.
class OrderedSequencer {
 public:
  class Slot;

  // Returns the number of the next piece, from 0 on. The caller makes a Slot
  // for each piece that it works on; without one, later pieces wait forever.
  int64_t Take() { return next_++; }

  // Tells all threads that no further result is to be passed on. A thread asks
  // stopped() after its wait; Stop() itself ends no wait.
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

 private:
  // Returns when all pieces before `piece` are passed on. Other threads already
  // work on them, so the wait is usually short.
  void Wait(int64_t piece) const {
    WaitUntil(next_to_pass_, [&](int64_t next) { return next == piece; });
  }

  void Pass(int64_t piece) {
    next_to_pass_ = piece + 1;
    next_to_pass_.notify_all();
  }

  std::atomic<int64_t> next_{0};
  std::atomic<int64_t> next_to_pass_{0};
  std::atomic<bool> stopped_{false};
};

// A piece that a thread has taken. Its destructor waits until the earlier
// pieces are passed on, then lets the next piece pass. If an exception destroys
// it, it also calls Stop(), so that the other threads do not wait forever.
class OrderedSequencer::Slot {
 public:
  Slot(OrderedSequencer* sequencer, int64_t piece)
      : sequencer_(*sequencer), piece_(piece) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot() {
    if (std::uncaught_exceptions() > exceptions_) sequencer_.Stop();
    sequencer_.Wait(piece_);
    sequencer_.Pass(piece_);
  }

  // Returns when all earlier pieces are passed on. From then until the slot is
  // destroyed, only this thread passes results on.
  void Wait() const { sequencer_.Wait(piece_); }

 private:
  OrderedSequencer& sequencer_;
  int64_t piece_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace bvhmill
