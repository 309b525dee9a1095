#include "server/limits/memory_policy.h"

#include <algorithm>

namespace bvhmill::server {

bool MemoryPolicy::ShouldRelease(Clock::time_point now,
                                 const MemoryReading& reading) {
  constexpr std::chrono::milliseconds kPause(200);
  // Memory that a release did not give back is no reason for the next one.
  release_mark_ = std::min(release_mark_, reading.resident + kStep);
  const int64_t most = std::max(reading.counted + kReleaseSlack, release_mark_);
  const bool is_due = reading.resident > most || reading.fullness >= kShort;
  if (!is_due || now - released_at_ < kPause) return false;
  released_at_ = now;
  release_mark_ = reading.resident + kStep;
  return true;
}

bool MemoryPolicy::ShouldCut(const MemoryReading& reading) {
  // A message takes its bytes once, or twice while it is put together.
  constexpr int64_t kUsualGrowth = 3;
  const int64_t most = std::max(reading.counted + kCutSlack, cut_mark_);
  if (reading.resident <= most) {
    cut_mark_ = std::min(cut_mark_, reading.resident + kStep);
    received_before_ = reading.received;
    return false;
  }
  const int64_t grown = reading.resident - most + kStep;
  const int64_t received = reading.received - received_before_;
  cut_mark_ = reading.resident + kStep;
  received_before_ = reading.received;
  return grown > kUsualGrowth * received;
}

bool MemoryPolicy::IsLastResort(const MemoryReading& reading) {
  return reading.fullness >= kLast &&
         reading.resident > reading.counted + kCutSlack;
}

bool MemoryPolicy::IsShort(const MemoryReading& reading) {
  is_short_ = reading.fullness >= (is_short_ ? kEnough : kShort);
  return is_short_;
}

}  // namespace bvhmill::server
