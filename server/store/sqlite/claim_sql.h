#pragma once

// The statements with which SqliteJobStore looks for items that wait. Each must
// read rows that wait, and none that are done: a test asks SQLite for its
// plans.

#include "server/store/may_begin_sql.h"

namespace bvhmill::server {

// Callers with jobs that have waiting items.
inline constexpr char kWaitingCallersSql[] =
    "SELECT DISTINCT caller FROM job INDEXED BY job_unfinished WHERE state < 4 "
    "AND state <> 3 AND total > ok + failed + leased ORDER BY caller";

#define BVHMILL_WAITING_ITEMS(index, which)                                   \
  "SELECT item.job, item.number, key, blob, encoding, format, "               \
  "item.display_name, item.options, job.options, tries, crashes, last_error " \
  "FROM job INDEXED BY job_unfinished CROSS JOIN item INDEXED BY " index      \
  " ON item.job = job.number WHERE job.caller = ?1 AND job.state < 4 AND "    \
  "job.state <> 3 AND item.state = 0 AND " which                              \
  " AND " BVHMILL_MAY_BEGIN("?2") " ORDER BY "

// Waiting items of caller ?1 that may be claimed at the time ?2, at most ?3.
// Suspects are items with kSuspectCrashes or more; the fewest crashes come
// first.
inline constexpr char kFreshItemsSql[] = BVHMILL_WAITING_ITEMS(
    "item_waiting", "crashes < 2") "job.number, item.number LIMIT ?3";
inline constexpr char kSuspectItemsSql[] = BVHMILL_WAITING_ITEMS(
    "item_suspect", "crashes >= 2") "crashes, item.job, item.number LIMIT ?3";

#undef BVHMILL_WAITING_ITEMS

// Callers of suspects that may be claimed at the time ?1.
inline constexpr char kSuspectCallersSql[] =
    "SELECT DISTINCT caller FROM item INDEXED BY item_suspect CROSS JOIN job "
    "ON job.number = item.job WHERE item.state = 0 AND crashes >= 2 "
    "AND " BVHMILL_MAY_BEGIN("?1") " AND job.state < 4 AND job.state <> 3";

static_assert(kSuspectCrashes == 2, "as in the statements above");

}  // namespace bvhmill::server
