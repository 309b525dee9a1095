#include "server/limits/memory_guard.h"

#include <utility>

namespace bvhmill::server {

MemoryGuard::MemoryGuard(MemoryHooks hooks, bool cuts)
    : hooks_(std::move(hooks)), cuts_(cuts) {}

MemoryReading MemoryGuard::Read(Clock::time_point now) {
  const MemoryUse use = ReadMemoryUse();
  MemoryReading reading;
  reading.counted = hooks_.counted_bytes();
  reading.resident = use.resident;
  reading.fullness = FullnessOf(use, bounds_);
  // Unfinished messages cost more to count, and matter only where the memory
  // is not explained without them.
  const bool is_explained =
      reading.resident <= reading.counted + MemoryPolicy::kReleaseSlack;
  if (!is_explained) reading.counted += UnfinishedBytes(now, reading.resident);
  reading.received = hooks_.received_bytes();
  return reading;
}

// Counts again after a pause, or when memory has grown.
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
