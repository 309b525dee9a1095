#pragma once

// Keeps the process within its memory. MemoryGuard reads the memory in use
// every 20 ms. It returns free memory of the allocator to the system when the
// process uses much more than the server counts, or when the server is idle. It
// reports when memory is short, so that new clips are refused.
//
//   MemoryGuard guard({counted_bytes, is_idle, on_change});
//   guard.Check(now);  // Every 20 ms, in one thread.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>

#include "server/limits/memory.h"

namespace bvhmill::server {

// The memory at one time, in bytes.
struct MemoryReading {
  int64_t resident = 0;
  // Bytes that calls and streams count.
  int64_t counted = 0;
  // See FullnessOf.
  double fullness = 0;
  // No call and no item of a job runs.
  bool is_idle = false;
};

// Decides; does nothing itself. Not thread-safe. Cost of each function: O(1).
class MemoryPolicy {
 public:
  using Clock = std::chrono::steady_clock;

  // Bytes beyond the counted ones above which the allocator must release free
  // memory.
  static constexpr int64_t kReleaseSlack = int64_t{112} << 20;
  // The pause between the releases of a server that is idle.
  static constexpr std::chrono::seconds kIdle{10};

  // True if the allocator should release free memory:
  //   - fullness is at least kShort, or the process uses more than
  //     kReleaseSlack beyond the counted bytes and has grown by kStep since the
  //     last release; at most five times a second;
  //   - the server has been idle for kIdle; again and again, since buffers of
  //     connections become free later.
  // Call it for every reading.
  bool ShouldRelease(Clock::time_point now, const MemoryReading& reading);

  // True while memory is short: from the moment fullness reaches kShort until
  // it is below kEnough.
  bool IsShort(const MemoryReading& reading);
  static constexpr double kShort = 0.85;
  static constexpr double kEnough = 0.75;

 private:
  static constexpr int64_t kStep = int64_t{32} << 20;

  bool HasBecomeIdle(Clock::time_point now, const MemoryReading& reading);

  Clock::time_point released_at_;
  int64_t release_mark_ = 0;
  // When the server last worked, or released memory since.
  Clock::time_point worked_at_;
  bool is_short_ = false;
};

// Functions of the server that the guard calls. Every function must be set;
// only Check calls them.
struct MemoryHooks {
  // Bytes that calls and streams count.
  std::function<int64_t()> counted_bytes;
  // True if no call and no item of a job runs.
  std::function<bool()> is_idle;
  // Called when memory becomes short, and when it is no longer short.
  std::function<void(bool is_short)> on_change;
};

// See the top of the file.
class MemoryGuard {
 public:
  using Clock = std::chrono::steady_clock;

  explicit MemoryGuard(MemoryHooks hooks) : hooks_(std::move(hooks)) {}

  // Reads the memory and acts. One thread must call this every 20 ms.
  void Check(Clock::time_point now);

  // True while memory is short. Any thread.
  bool is_short() const { return is_short_; }

  // Sets a listener that Check calls after on_change; an empty function removes
  // it. If the old listener is running, waits until it has returned. Any
  // thread, except from within the listener.
  void Listen(std::function<void(bool is_short)> listener);

 private:
  MemoryReading Read() const;
  void SetShort(bool is_short);

  const MemoryHooks hooks_;
  const MemoryBounds bounds_ = ReadMemoryBounds();
  // Used by the thread that calls Check.
  MemoryPolicy policy_;
  std::atomic<bool> is_short_{false};
  std::mutex mutex_;
  std::function<void(bool)> listener_;
};

}  // namespace bvhmill::server
