#pragma once

// Threads that work on numbered pieces at once and hand them on in order.

#include <atomic>
#include <cstdint>

namespace bvhmill {

// Each piece that is taken must Wait for its turn and then Pass it on.
class Turns {
 public:
  // The next piece that nobody has taken.
  int64_t Take() { return next_++; }

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

 private:
  std::atomic<int64_t> next_{0};
  std::atomic<int64_t> turn_{0};
};

}  // namespace bvhmill
