#pragma once

// Threads that work on numbered pieces at once and hand them on in order.

#include <atomic>
#include <cstdint>
#include <exception>

namespace bvhmill {

class OrderedSequencer {
 public:
  class Slot;

  // The next piece that nobody has taken. There must be a Slot for each that is
  // worked on.
  int64_t Take() { return next_++; }

  // Nothing more is to be handed on.
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

 private:
  // Returns when all pieces before `piece` are passed on. Those are being
  // worked on by other threads, so it is mostly soon.
  void Wait(int64_t piece) const {
    constexpr int kSpins = 4000;
    for (int i = 0; i < kSpins; ++i) {
      if (next_to_pass_.load(std::memory_order_acquire) == piece) return;
    }
    int64_t now = next_to_pass_;
    while (now != piece) {
      next_to_pass_.wait(now);
      now = next_to_pass_;
    }
  }

  void Pass(int64_t piece) {
    next_to_pass_ = piece + 1;
    next_to_pass_.notify_all();
  }

  std::atomic<int64_t> next_{0};
  std::atomic<int64_t> next_to_pass_{0};
  std::atomic<bool> stopped_{false};
};

// A piece that a thread has taken, from its work until it is handed on. If an
// exception ends that, all stop; the others do not wait for it for ever.
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

  // Returns when it is the turn of this piece, which it then is until the end.
  void Wait() const { sequencer_.Wait(piece_); }

 private:
  OrderedSequencer& sequencer_;
  int64_t piece_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace bvhmill
