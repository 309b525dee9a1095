#pragma once

// Keeps the process within its memory. MemoryGuard reads the memory in use
// every 20 ms. MemoryPolicy then decides whether the guard releases free
// memory, cuts connections, or reports that memory is short, so that new clips
// are refused.
//
// The server counts the memory of calls, streams and messages, but gRPC 1.51
// does not count all of its own: header fields that never end use fifty times
// their bytes. In honest use the counted bytes and the bytes that peers have
// sent explain the memory of the process. Unexplained memory is first assumed
// to be free memory of the allocator, which returns it on request, and then
// memory that a hostile peer uses.

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
  // Bytes that calls and streams count, and bytes of unfinished messages.
  int64_t counted = 0;
  // Bytes that the program has read from all connections so far.
  int64_t received = 0;
  // See FullnessOf.
  double fullness = 0;
};

// Decides; does nothing itself. Not thread-safe. Cost of each function: O(1).
class MemoryPolicy {
 public:
  using Clock = std::chrono::steady_clock;

  // Unexplained bytes above which the allocator must release free memory, and
  // above which connections are cut.
  static constexpr int64_t kReleaseSlack = int64_t{112} << 20;
  static constexpr int64_t kCutSlack = int64_t{176} << 20;

  // True if the allocator should release free memory: fullness is at least
  // kShort, or the process uses more than kReleaseSlack beyond the counted
  // bytes and has grown by kStep since the last release. At most five times a
  // second. Call it for every reading.
  bool ShouldRelease(Clock::time_point now, const MemoryReading& reading);

  // True if a connection should be cut: the process uses more than kCutSlack
  // beyond the counted bytes, has grown by kStep since the last reading above
  // that mark, and by more than three times the bytes that came since the
  // reading before. Bytes that came earlier explain nothing: a flood of small
  // frames is many bytes, too. The first reading beyond kCutSlack counts as a
  // growth of kStep. Call it for every reading, after a release.
  bool ShouldCut(const MemoryReading& reading);

  // True if every suspect connection should be cut: the process is about to run
  // out of memory, and the counted memory is not the cause.
  static bool IsLastResort(const MemoryReading& reading);

  // True while memory is short: from the moment fullness reaches kShort until
  // it is below kEnough.
  bool IsShort(const MemoryReading& reading);
  static constexpr double kShort = 0.85;
  static constexpr double kEnough = 0.75;
  static constexpr double kLast = 0.92;

 private:
  static constexpr int64_t kStep = int64_t{32} << 20;

  Clock::time_point released_at_;
  int64_t release_mark_ = 0;
  int64_t cut_mark_ = 0;
  int64_t received_before_ = 0;
  bool is_short_ = false;
};

// Functions of the server that the guard calls. Every function must be set;
// only Check calls them.
struct MemoryHooks {
  using Time = std::chrono::steady_clock::time_point;

  // Bytes that calls and streams count.
  std::function<int64_t()> counted_bytes;
  // Bytes of unfinished messages on all connections. Costs some system calls
  // for each connection.
  std::function<int64_t(Time now)> unfinished_bytes;
  // Bytes that the program has read from all connections so far.
  std::function<int64_t()> received_bytes;
  // Cuts the most suspect connection, or with `all` every suspect one.
  std::function<void(Time now, bool all)> cut;
  // Called when memory becomes short, and when it is no longer short.
  std::function<void(bool is_short)> on_change;
};

// See the top of the file.
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
  // thread, except from within the listener.
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
  // The last count of unfinished bytes, its time, and the resident bytes then.
  int64_t unfinished_ = 0;
  Clock::time_point counted_at_;
  int64_t resident_then_ = 0;
  std::atomic<bool> is_short_{false};
  std::mutex mutex_;
  std::function<void(bool)> listener_;
};

}  // namespace bvhmill::server
