#include "server/limits/memory_guard.h"

#include <algorithm>
#include <utility>

namespace bvhmill::server {

bool MemoryPolicy::ShouldRelease(Clock::time_point now,
                                 const MemoryReading& reading) {
  constexpr std::chrono::milliseconds kPause(200);
  if (HasBecomeIdle(now, reading)) return true;
  // Memory that a release did not return is no reason for the next release.
  release_mark_ = std::min(release_mark_, reading.resident + kStep);
  const int64_t most = std::max(reading.counted + kReleaseSlack, release_mark_);
  const bool is_due = reading.resident > most || reading.fullness >= kShort;
  if (!is_due || now - released_at_ < kPause) return false;
  released_at_ = now;
  release_mark_ = reading.resident + kStep;
  return true;
}

bool MemoryPolicy::HasBecomeIdle(Clock::time_point now,
                                 const MemoryReading& reading) {
  const bool is_due = reading.is_idle && now - worked_at_ >= kIdle;
  if (is_due || !reading.is_idle) worked_at_ = now;
  return is_due;
}

bool MemoryPolicy::IsShort(const MemoryReading& reading) {
  is_short_ = reading.fullness >= (is_short_ ? kEnough : kShort);
  return is_short_;
}

MemoryReading MemoryGuard::Read() const {
  const MemoryUse use = ReadMemoryUse();
  return {.resident = use.resident,
          .counted = hooks_.counted_bytes(),
          .fullness = FullnessOf(use, bounds_),
          .is_idle = hooks_.is_idle()};
}

void MemoryGuard::Check(Clock::time_point now) {
  MemoryReading reading = Read();
  if (policy_.ShouldRelease(now, reading)) {
    ReleaseFreeMemory();
    reading = Read();
  }
  SetShort(policy_.IsShort(reading));
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
