#pragma once

// The condition under which a waiting item may be claimed, in the SQL of all
// engines.

// `now` is a time in milliseconds. No item is told to wait for longer than
// kLongestBackoffMs. If the rest of its time is longer, the clock was set back
// since then; the item may begin at once.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/status.h"
#include "server/store/job_store.h"

#define BVHMILL_MAY_BEGIN(now) \
  "(not_before_ms <= " now " OR not_before_ms > " now " + 300000)"
#define BVHMILL_ROW_BYTES(from, to)                                            \
  "SELECT caller, number AS job, 256 + " from "display_name" to " + " from     \
  "annotations" to " + " from "options" to " + " from "request_id" to          \
  " + (SELECT coalesce(sum(256 + " from "key" to " + " from                    \
  "item.display_name" to " + " from "item.options" to                          \
  "), 0) FROM item WHERE item.job = job.number) + (SELECT coalesce(sum(256 "   \
  "+ " from "result.bytes" to                                                  \
  "), 0) FROM result WHERE result.job = job.number) + (SELECT 256 * count(*) " \
  "FROM output WHERE output.job = job.number) AS bytes FROM job WHERE caller " \
  "<> '/gone'"

namespace bvhmill::server {

static_assert(kLongestBackoffMs == 300'000, "as in BVHMILL_MAY_BEGIN");

// The removal of jobs, in the SQL of all engines. A job is hidden first: from
// then on no caller sees it. Then its rows are removed, some thousand in one
// transaction, so that others write in between. If the process is killed, the
// next Expire removes the rest.

// The most items that one transaction removes.
inline constexpr int64_t kRemovedAtOnce = 2000;
// The time between two transactions.
inline constexpr std::chrono::milliseconds kRemovalPause(1);

// The columns of a hidden job. No caller has this name. The end is long ago, so
// that Expire finds the job.
#define BVHMILL_GONE "caller = '/gone', request_id = '', state = 6, end_ms = 1"

// Divides the items of a claim among the callers.

// Puts the callers, which are sorted, into the order of this claim. `*last` is
// the caller that was first at the last claim. The next one is first now, and
// becomes `*last`.
inline void TakeTurns(std::string* last, std::vector<std::string>* callers) {
  if (callers->empty()) return;
  const auto first = std::upper_bound(callers->begin(), callers->end(), *last);
  std::rotate(callers->begin(), first, callers->end());
  *last = callers->front();
}

// Removes the callers that are in `without`.
inline void Leave(const std::set<std::string>& without,
                  std::vector<std::string>* callers) {
  std::erase_if(*callers, [&](const std::string& caller) {
    return without.contains(caller);
  });
}

// Claims up to `limit` items, so that callers with waiting items get equal
// shares. Calls `claim(caller, share)`, which must add up to `share` items to
// `*items`; returns its first error.
template <typename Items, typename Claim>
absl::Status ClaimShares(std::vector<std::string> callers, int64_t limit,
                         Items* items, const Claim& claim) {
  while (!callers.empty()) {
    // Callers that got all of their share, and may want more.
    std::vector<std::string> still;
    const int64_t open = limit - static_cast<int64_t>(items->size());
    const int64_t share =
        std::max<int64_t>(open / static_cast<int64_t>(callers.size()), 1);
    for (const std::string& caller : callers) {
      const auto size = static_cast<int64_t>(items->size());
      if (size >= limit) return absl::OkStatus();
      BVHMILL_RETURN_IF_ERROR(claim(caller, share));
      const auto got = static_cast<int64_t>(items->size()) - size;
      if (got == share) still.push_back(caller);
    }
    callers = std::move(still);
  }
  return absl::OkStatus();
}

// Parts that the stores of jobs share.

// The state of a new job, with an id of 20 random letters and digits (103
// bits). Its number is not set. A job without items is over at once.
JobInfo InfoOfNewJob(const NewJob& job, int64_t now_ms);

// NOT_FOUND, JOB_UNKNOWN.
absl::Status NoJob(const std::string& id);
// ALREADY_EXISTS, REQUEST_ID_USED. `id` is that of the job that was made.
absl::Status RequestIdUsed(const std::string& id);
// The bytes that a row counts with, besides the texts and messages in it.
inline constexpr int64_t kRowBytes = 256;
// The bytes of the rows that a new job takes, and those that a result adds.
int64_t RowBytesOf(const NewJob& job);
int64_t RowBytesOf(const ItemResult& result);
// The counts that are compared with the bounds of a new job, without that job.
struct BoundCounts {
  // Unfinished items of all callers, and those of the caller of the job.
  int64_t items = 0;
  int64_t own_items = 0;
  // Kept jobs of the caller, and the bytes of their rows.
  int64_t own_jobs = 0;
  int64_t own_bytes = 0;
  // NewJob::asked of the unfinished items of the caller together.
  int64_t own_asked = 0;
};
// RESOURCE_EXHAUSTED, LIMIT_EXCEEDED if the job and `counts` together exceed
// the bounds of the job.
absl::Status CheckBounds(const NewJob& job, const BoundCounts& counts);
// Bytes of a job in a page of jobs: see JobPage.
int64_t BytesOf(const JobInfo& job);
// FAILED_PRECONDITION, JOB_NOT_OVER.
absl::Status JobNotOver();

// The bytes of the rows of jobs, in the SQL of all engines: the slow twin of
// RowBytesOf, and of the counts that the stores keep.

// A query for (caller, job, bytes) of each job that a caller sees. Between
// `from` and `to`, a column is the number of its bytes.

static_assert(kRowBytes == 256, "as in BVHMILL_ROW_BYTES");

}  // namespace bvhmill::server
