#pragma once

// Waits for another thread that is about to finish.

#include <atomic>
#include <thread>

namespace bvhmill {

// Returns the value of `atomic` when `is_done` is true of it. The thread that
// changes it must call notify. A thread that sleeps is back after 50
// microseconds or more, which is as long as the work that is waited for. So the
// calling thread first stays awake: for about 10 microseconds it only looks,
// then for about 200 it gives way to other threads that have work.
template <class T, class IsDone>
T WaitUntil(const std::atomic<T>& atomic, IsDone is_done) {
  constexpr int kLooks = 4000;
  constexpr int kYields = 400;
  for (int i = 0; i < kLooks + kYields; ++i) {
    const T value = atomic.load(std::memory_order_acquire);
    if (is_done(value)) return value;
    if (i >= kLooks) std::this_thread::yield();
  }
  T value = atomic;
  while (!is_done(value)) {
    atomic.wait(value);
    value = atomic;
  }
  return value;
}

}  // namespace bvhmill
