#pragma once

// Parts that all engines of JobStore share: the state, the bounds and the
// errors of a job, the division of a claim among callers, and text of SQL that
// SQLite and PostgreSQL both accept. An engine creates and claims so:
//
//   BVHMILL_RETURN_IF_ERROR(CheckBounds(job, counts));
//   *info = InfoOfNewJob(job, now_ms);
//   ...
//   TakeTurns(&last_caller_, &callers);
//   return ClaimShares(callers, rules.limit, items, claim);

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/status.h"
#include "server/store/job_store.h"

// A condition of SQL: the backoff of a waiting item is over at the time `now`,
// in milliseconds since 1970. No backoff exceeds kLongestBackoffMs. If more
// time is left, the clock was set back, and the item may begin at once.
#define BVHMILL_MAY_BEGIN(now) \
  "(not_before_ms <= " now " OR not_before_ms > " now " + 300000)"

// A query for (caller, job, bytes) of each job that a caller sees. It computes
// from the rows what RowBytesOf computes from the messages, so that a check can
// compare it with the counts that a store keeps. A column between `from` and
// `to` is the number of its bytes.
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

// The columns of a hidden job: see kRemovedAtOnce. No caller has this name. The
// end is long ago, so that Expire finds the job.
#define BVHMILL_GONE "caller = '/gone', request_id = '', state = 6, end_ms = 1"

namespace bvhmill::server {

// The bytes that a row counts with, besides the texts and messages in it.
inline constexpr int64_t kRowBytes = 256;

static_assert(kLongestBackoffMs == 300'000, "as in BVHMILL_MAY_BEGIN");
static_assert(kRowBytes == 256, "as in BVHMILL_ROW_BYTES");

// The counts that CheckBounds compares with the bounds of a new job. They do
// not include that job.
struct BoundCounts {
  // Unfinished items of all callers, and those of the caller of the job.
  int64_t items = 0;
  int64_t own_items = 0;
  // Kept jobs of the caller, and the bytes of their rows.
  int64_t own_jobs = 0;
  int64_t own_bytes = 0;
  // The sum of NewJob::asked over the unfinished items of the caller.
  int64_t own_asked = 0;
};

// RESOURCE_EXHAUSTED, LIMIT_EXCEEDED if the job and `counts` together exceed
// the bounds of the job.
absl::Status CheckBounds(const NewJob& job, const BoundCounts& counts);

// The state of a new job, with an id of 20 random letters and digits (103
// bits). Its number is not set. A job without items is over at once.
JobInfo InfoOfNewJob(const NewJob& job, int64_t now_ms);

// The bytes of the rows of a new job, and of those that a result adds.
int64_t RowBytesOf(const NewJob& job);
int64_t RowBytesOf(const ItemResult& result);

// The bytes of a job in a page: see JobPage::max_bytes.
int64_t BytesOf(const JobInfo& job);

// NOT_FOUND, JOB_UNKNOWN.
absl::Status NoJob(const std::string& id);
// ALREADY_EXISTS, REQUEST_ID_USED. `id` is that of the job that exists.
absl::Status RequestIdUsed(const std::string& id);
// FAILED_PRECONDITION, JOB_NOT_OVER.
absl::Status JobNotOver();

// The division of a claim among callers.

// Removes the callers that are in `without`.
inline void Leave(const std::set<std::string>& without,
                  std::vector<std::string>* callers) {
  std::erase_if(*callers, [&](const std::string& caller) {
    return without.contains(caller);
  });
}

// Rotates `callers`, which are sorted, so that the one after `*last` is first.
// `*last` is the caller that was first at the last claim; it becomes the one
// that is first now.
inline void TakeTurns(std::string* last, std::vector<std::string>* callers) {
  if (callers->empty()) return;
  const auto first = std::upper_bound(callers->begin(), callers->end(), *last);
  std::rotate(callers->begin(), first, callers->end());
  *last = callers->front();
}

// Claims up to `limit` items, so that callers with waiting items get equal
// shares. Calls `claim(caller, share)`, which must add up to `share` items to
// `*items`; returns its first error.
template <typename Items, typename Claim>
absl::Status ClaimShares(std::vector<std::string> callers, int64_t limit,
                         Items* items, const Claim& claim) {
  while (!callers.empty()) {
    // Callers that got their whole share, and may have more waiting items.
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

// The removal of a job. A store first hides the job, so that no caller sees it.
// Then it removes the rows in several transactions, so that others write in
// between. If the process is killed, the next Expire removes the rest.

// The most items that one transaction removes.
inline constexpr int64_t kRemovedAtOnce = 2000;
// The pause between two transactions.
inline constexpr std::chrono::milliseconds kRemovalPause(1);

}  // namespace bvhmill::server
