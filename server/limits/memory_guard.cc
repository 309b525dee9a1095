#include "server/limits/memory_guard.h"

#include <algorithm>
#include <utility>

namespace bvhmill::server {

bool MemoryPolicy::ShouldRelease(Clock::time_point now,
                                 const MemoryReading& reading) {
  constexpr std::chrono::milliseconds kPause(200);
  // Memory that a release did not return is no reason for the next release.
  release_mark_ = std::min(release_mark_, reading.resident + kStep);
  const int64_t most = std::max(reading.counted + kReleaseSlack, release_mark_);
  const bool is_due = reading.resident > most || reading.fullness >= kShort;
  if (!is_due || now - released_at_ < kPause) return false;
  released_at_ = now;
  release_mark_ = reading.resident + kStep;
  return true;
}

bool MemoryPolicy::ShouldCut(const MemoryReading& reading) {
  // A message needs memory for its bytes once, or twice while it is assembled.
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

MemoryGuard::MemoryGuard(MemoryHooks hooks, bool cuts)
    : hooks_(std::move(hooks)), cuts_(cuts) {}

MemoryReading MemoryGuard::Read(Clock::time_point now) {
  const MemoryUse use = ReadMemoryUse();
  MemoryReading reading;
  reading.counted = hooks_.counted_bytes();
  reading.resident = use.resident;
  reading.fullness = FullnessOf(use, bounds_);
  // Unfinished messages are expensive to count. They matter only if the memory
  // is not explained without them.
  const bool is_explained =
      reading.resident <= reading.counted + MemoryPolicy::kReleaseSlack;
  if (!is_explained) reading.counted += UnfinishedBytes(now, reading.resident);
  reading.received = hooks_.received_bytes();
  return reading;
}

// Counts again after a pause or when memory has grown; otherwise returns the
// last count.
int64_t MemoryGuard::UnfinishedBytes(Clock::time_point now, int64_t resident) {
  constexpr std::chrono::milliseconds kPause(100);
  constexpr int64_t kGrowth = int64_t{4} << 20;
  if (now - counted_at_ >= kPause || resident >= resident_then_ + kGrowth) {
    counted_at_ = now;
    resident_then_ = resident;
    unfinished_ = hooks_.unfinished_bytes(now);
  }
  return unfinished_;
}

void MemoryGuard::Check(Clock::time_point now) {
  MemoryReading reading = Read(now);
  if (policy_.ShouldRelease(now, reading)) {
    ReleaseFreeMemory();
    reading = Read(now);
  }
  SetShort(policy_.IsShort(reading));
  if (!cuts_) return;
  const bool is_last_resort = MemoryPolicy::IsLastResort(reading);
  if (policy_.ShouldCut(reading) || is_last_resort) {
    hooks_.cut(now, is_last_resort);
  }
}

void MemoryGuard::SetShort(bool is_short) {
  if (is_short == is_short_) return;
  is_short_ = is_short;
  hooks_.on_change(is_short);
  const std::lock_guard lock(mutex_);
  if (listener_) listener_(is_short);
}

void MemoryGuard::Listen(std::function<void(bool)> listener) {
  const std::lock_guard lock(mutex_);
  listener_ = std::move(listener);
}

}  // namespace bvhmill::server
