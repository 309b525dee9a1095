#pragma once

// Threads that work on numbered pieces at once and hand them on in order.

#include <atomic>
#include <cstdint>
#include <exception>

namespace bvhmill {

class Turns {
 public:
  class Turn;

  // The next piece that nobody has taken. There must be a Turn of each that is
  // worked on.
  int64_t Take() { return next_++; }

  // Nothing more is to be handed on.
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

 private:
  // Returns when all pieces before `piece` are passed on. Those are being
  // worked on by other threads, so it is mostly soon.
  void Wait(int64_t piece) const {
    constexpr int kLooks = 4000;
    for (int i = 0; i < kLooks; ++i) {
      if (turn_.load(std::memory_order_acquire) == piece) return;
    }
    int64_t turn = turn_;
    while (turn != piece) {
      turn_.wait(turn);
      turn = turn_;
    }
  }

  void Pass(int64_t piece) {
    turn_ = piece + 1;
    turn_.notify_all();
  }

  std::atomic<int64_t> next_{0};
  std::atomic<int64_t> turn_{0};
  std::atomic<bool> stopped_{false};
};

// A piece that a thread has taken, from its work until it is handed on. If an
// exception ends that, all stop; the others do not wait for it for ever.
class Turns::Turn {
 public:
  Turn(Turns* turns, int64_t piece) : turns_(*turns), piece_(piece) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (std::uncaught_exceptions() > exceptions_) turns_.Stop();
    turns_.Wait(piece_);
    turns_.Pass(piece_);
  }

  // Returns when it is the turn of this piece, which it then is until the end.
  void Wait() const { turns_.Wait(piece_); }

 private:
  Turns& turns_;
  int64_t piece_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace bvhmill
