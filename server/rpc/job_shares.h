#pragma once

// The limits on the unfinished items and the stored bytes of one caller. A
// caller without a token has no such limit.

#include <cstdint>

#include "server/app/config.h"
#include "server/auth/caller.h"

namespace bvhmill::server {

// Half of `number`, rounded up.
constexpr int64_t HalfOf(int64_t number) { return number / 2 + number % 2; }

// True if neither a quota nor a limit per caller bounds the unfinished items of
// the caller. It may then have half of what others leave of max_queued_items.
inline bool HasFairItems(const Caller& caller, const JobLimits& limits) {
  return !caller.name.empty() && caller.max_items == 0 &&
         limits.max_queued_items_per_caller == 0;
}

// Returns `limits` with the limits per caller of `caller`: its quotas, else the
// limits per caller, else half of the limit on all; 0 = no limit. The share of
// items is smaller while others have items: see HasFairItems. The share of data
// is always this half: else the jobs of a caller that stores nothing could be
// refused for what others store.
inline JobLimits LimitsOf(const Caller& caller, JobLimits limits) {
  const auto bound = [&](int64_t quota, int64_t of_all, int64_t* limit) {
    if (caller.name.empty()) {
      *limit = 0;
    } else if (quota > 0) {
      *limit = quota;
    } else if (*limit == 0) {
      *limit = HalfOf(of_all);
    }
  };
  bound(caller.max_items, limits.max_queued_items,
        &limits.max_queued_items_per_caller);
  bound(caller.max_data_bytes, limits.max_data_bytes,
        &limits.max_data_bytes_per_caller);
  return limits;
}

}  // namespace bvhmill::server
