#pragma once

// Waits for another thread that is about to finish.

#include <atomic>

namespace bvhmill {

// Returns the value of `atomic` when `is_done` is true of it. The thread that
// changes it must call notify. A thread that sleeps is back after 50
// microseconds or more, which is as long as the work that is waited for. So the
// calling thread stays awake for about 200 microseconds first. It does not
// yield meanwhile: on a machine with other work, a thread that yields is back
// after milliseconds.
template <class T, class IsDone>
T WaitUntil(const std::atomic<T>& atomic, IsDone is_done) {
  constexpr int kLooks = 80'000;
  for (int i = 0; i < kLooks; ++i) {
    const T value = atomic.load(std::memory_order_acquire);
    if (is_done(value)) return value;
  }
  T value = atomic;
  while (!is_done(value)) {
    atomic.wait(value);
    value = atomic;
  }
  return value;
}

}  // namespace bvhmill
