#pragma once

// How the stores of jobs remove a job: it is hidden first, which is its end for
// all callers; then its rows are removed, some thousand in one transaction, so
// that others write meanwhile. A store that is killed leaves the rest to the
// next Expire.

#include <chrono>
#include <cstdint>

namespace bvhmill::server {

// Items of a job that is being removed, of one transaction.
inline constexpr int64_t kRemovedAtOnce = 2000;
// The time between two transactions.
inline constexpr std::chrono::milliseconds kRemovalPause(1);

// The columns of a job that is hidden. No caller has this name; the job ended
// long ago, so that Expire finds it.
#define BVHMILL_GONE "caller = '/gone', request_id = '', state = 6, end_ms = 1"

}  // namespace bvhmill::server
