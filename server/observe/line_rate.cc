#include "server/observe/line_rate.h"

#include <algorithm>
#include <utility>

namespace bvhmill::server {

LineRate::Bucket& LineRate::BucketOf(std::string_view kind,
                                     Clock::time_point now) {
  const auto known = buckets_.find(kind);
  if (known != buckets_.end()) return known->second;
  const bool is_full = buckets_.size() >= kMaxKinds;
  const std::string name(is_full ? std::string_view("other") : kind);
  return buckets_.try_emplace(name, Bucket{burst_, now, 0}).first->second;
}

bool LineRate::Allow(std::string_view kind, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Bucket& bucket = BucketOf(kind, now);
  const std::chrono::duration<double> since = now - bucket.at;
  bucket.at = now;
  bucket.lines = std::min(burst_, bucket.lines + since.count());
  if (bucket.lines < 1) {
    ++bucket.held_back;
    return false;
  }
  bucket.lines -= 1;
  return true;
}

std::vector<LineRate::HeldBack> LineRate::Take() {
  std::vector<HeldBack> taken;
  const std::lock_guard lock(mutex_);
  for (auto& [kind, bucket] : buckets_) {
    if (bucket.held_back == 0) continue;
    taken.push_back({kind, bucket.held_back});
    bucket.held_back = 0;
  }
  return taken;
}

}  // namespace bvhmill::server
