#pragma once

// Keeps the process within its memory. Reads the memory in use; then, as
// MemoryPolicy decides, releases free memory, cuts connections, or reports that
// memory is short, so that no more clips are taken.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>

#include "server/limits/memory.h"
#include "server/limits/memory_policy.h"

namespace bvhmill::server {

// Functions of the server that the guard calls. Every function must be set;
// only Check calls them.
struct MemoryHooks {
  using Time = std::chrono::steady_clock::time_point;

  // Bytes that calls and streams account for.
  std::function<int64_t()> counted_bytes;
  // Bytes of unfinished messages on all connections. Costs some system calls
  // for each connection.
  std::function<int64_t(Time now)> unfinished_bytes;
  // Bytes that the program has read from all connections so far.
  std::function<int64_t()> received_bytes;
  // Cuts the most suspect connection, or with `all` every suspect one.
  std::function<void(Time now, bool all)> cut;
  // Called when memory becomes short, and when it stops being short.
  std::function<void(bool is_short)> on_change;
};

class MemoryGuard {
 public:
  using Clock = std::chrono::steady_clock;

  // `cuts`: whether the guard may cut connections.
  MemoryGuard(MemoryHooks hooks, bool cuts);

  // Reads the memory and acts. One thread must call this every 20 ms: hostile
  // peers can fill some MB in a millisecond.
  void Check(Clock::time_point now);

  // True while memory is short. Any thread.
  bool is_short() const { return is_short_; }

  // Sets a listener that Check calls after on_change; an empty function removes
  // it. If the old listener is running, waits until it has returned. Any
  // thread, but not the listener itself.
  void Listen(std::function<void(bool is_short)> listener);

 private:
  MemoryReading Read(Clock::time_point now);
  int64_t UnfinishedBytes(Clock::time_point now, int64_t resident);
  void SetShort(bool is_short);

  const MemoryHooks hooks_;
  const bool cuts_;
  const MemoryBounds bounds_ = ReadMemoryBounds();
  // Used by the thread that calls Check.
  MemoryPolicy policy_;
  // The unfinished bytes when they were last counted, the time of that, and the
  // resident bytes at that time.
  int64_t unfinished_ = 0;
  Clock::time_point counted_at_;
  int64_t resident_then_ = 0;
  std::atomic<bool> is_short_{false};
  std::mutex mutex_;
  std::function<void(bool)> listener_;
};

}  // namespace bvhmill::server
