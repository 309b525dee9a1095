#pragma once

// The parts of the stored items and blobs that one caller may have. A caller
// without a token has no such limit.

#include <cstdint>

#include "server/app/config.h"
#include "server/auth/caller.h"
#include "server/store/job_store.h"

namespace bvhmill::server {

// Half of `number`, rounded up.
constexpr int64_t HalfOf(int64_t number) { return number / 2 + number % 2; }

// The quota of the token, else the limit per caller, else a fair share.
inline ItemShare ItemShareOf(const Caller& caller, const JobLimits& limits) {
  if (caller.name.empty()) return {};
  if (caller.max_items > 0) return {.most = caller.max_items};
  const int64_t most = limits.max_queued_items_per_caller;
  return most > 0 ? ItemShare{.most = most} : ItemShare{.is_fair = true};
}

// The same for the bytes of blobs; 0 = no limit. The fair share is half of
// max_data_bytes: one that shrank while others store more would refuse the jobs
// of a caller that stores nothing.
inline int64_t DataShareOf(const Caller& caller, const JobLimits& limits) {
  if (caller.name.empty()) return 0;
  if (caller.max_data_bytes > 0) return caller.max_data_bytes;
  const int64_t most = limits.max_data_bytes_per_caller;
  return most > 0 ? most : HalfOf(limits.max_data_bytes);
}

// The limits as they hold for `caller`.
inline JobLimits LimitsOf(const Caller& caller, JobLimits limits) {
  const ItemShare items = ItemShareOf(caller, limits);
  limits.max_data_bytes_per_caller = DataShareOf(caller, limits);
  limits.max_queued_items_per_caller =
      items.is_fair ? HalfOf(limits.max_queued_items) : items.most;
  return limits;
}

}  // namespace bvhmill::server
