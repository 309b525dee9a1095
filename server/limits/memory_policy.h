#pragma once

// The rules for releasing memory that the server does not account for, and for
// cutting connections. This class only decides: MemoryGuard reads the memory
// and acts.
//
// gRPC 1.51 does not account for all that it holds: header fields that never
// end take fifty times their bytes. The bytes that the server accounts for and
// the bytes that its peers have sent explain the memory of honest use. The rest
// belongs first to the allocator, which gives it back on request, and then to a
// peer.

#include <chrono>
#include <cstdint>

namespace bvhmill::server {

struct MemoryReading {
  int64_t resident = 0;
  // Bytes that calls, streams and unfinished messages account for.
  int64_t counted = 0;
  // Bytes that the program has read from all connections so far.
  int64_t received = 0;
  // See FullnessOf.
  double fullness = 0;
};

// Not thread-safe. Cost of each function: O(1).
class MemoryPolicy {
 public:
  using Clock = std::chrono::steady_clock;

  // Unaccounted bytes at which the allocator is asked to give memory back, and
  // at which connections are cut.
  static constexpr int64_t kReleaseSlack = int64_t{112} << 20;
  static constexpr int64_t kCutSlack = int64_t{176} << 20;

  // True if the allocator should give free memory back: fullness is at least
  // kShort, or the process has more than kReleaseSlack beyond what is counted
  // and has grown by kStep since the last release. At most five times a second.
  // Call it for every reading.
  bool ShouldRelease(Clock::time_point now, const MemoryReading& reading);

  // True if a connection should be cut: the process has more than kCutSlack
  // beyond what is counted, has grown by kStep since the last reading that was
  // judged, and by more than three times the bytes that came since the reading
  // before. Bytes that came earlier explain nothing: a flood of small frames is
  // many bytes, too. The first time that the process is beyond kCutSlack, kStep
  // is taken as grown. Call it for every reading, after a release.
  bool ShouldCut(const MemoryReading& reading);

  // True if every suspect connection should be cut: the process is about to run
  // out of memory, and the memory that is accounted for is not the cause.
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

}  // namespace bvhmill::server
