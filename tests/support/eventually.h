#pragma once

// Waits for events without a fixed time.

#include <chrono>
#include <thread>

namespace bvhmill::testing {

// The longest time that a test waits for an event.
inline constexpr std::chrono::seconds kTimeout(60);

// Waits until `is_met` returns true; false after kTimeout.
template <typename Condition>
bool Eventually(const Condition& is_met) {
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  while (!is_met()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

// The value of `count` when it has not changed for half a second.
template <typename Count>
auto AwaitStall(const Count& count) {
  constexpr int kQuietLooks = 25;
  auto last = count();
  for (int quiet = 0; quiet < kQuietLooks; ++quiet) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto now = count();
    if (now != last) quiet = -1;
    last = now;
  }
  return last;
}

}  // namespace bvhmill::testing
