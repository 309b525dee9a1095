#pragma once

// The removal of jobs, in the SQL of all engines. A job is hidden first: from
// then on no caller sees it. Then its rows are removed, some thousand in one
// transaction, so that others write in between. If the process is killed, the
// next Expire removes the rest.

#include <chrono>
#include <cstdint>

namespace bvhmill::server {

// The most items that one transaction removes.
inline constexpr int64_t kRemovedAtOnce = 2000;
// The time between two transactions.
inline constexpr std::chrono::milliseconds kRemovalPause(1);

// The columns of a hidden job. No caller has this name. The end is long ago, so
// that Expire finds the job.
#define BVHMILL_GONE "caller = '/gone', request_id = '', state = 6, end_ms = 1"

}  // namespace bvhmill::server
