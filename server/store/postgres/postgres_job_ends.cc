// Counts, ends of jobs, and ends of leases: parts of PostgresJobStore.

#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/store/postgres/counts_sql.h"
#include "server/store/postgres/postgres_job_store.h"

namespace bvhmill::server {
namespace {

// `job` and the sums `c` of its counts: whether no item will get a result any
// more.
#define BVHMILL_SUMS                                                        \
  "SELECT coalesce(sum(ok + failed), 0) AS done, coalesce(sum(leased), 0) " \
  "AS leased, coalesce(sum(bytes), 0) AS bytes FROM job_count WHERE "       \
  "job_count.job = "
#define BVHMILL_IS_OVER \
  "(c.done >= job.total OR (job.state = 3 AND c.leased = 0))"

std::vector<int64_t> NumbersOf(const pqxx::result& rows) {
  std::vector<int64_t> numbers;
  for (const auto& row : rows) numbers.push_back(row[0].as<int64_t>());
  return numbers;
}

}  // namespace

std::vector<int64_t> PostgresJobStore::JobsOf(const Changes& changes) {
  std::vector<int64_t> jobs;
  for (const auto& [job, change] : changes) jobs.push_back(job);
  return jobs;
}

void PostgresJobStore::AddCounts(const Changes& changes, Work* work) {
  if (changes.empty()) return;
  std::vector<int64_t> leased;
  std::vector<int64_t> ok;
  std::vector<int64_t> failed;
  std::vector<int64_t> set_aside;
  for (const auto& [job, change] : changes) {
    leased.push_back(change.leased);
    ok.push_back(change.ok);
    failed.push_back(change.failed);
    set_aside.push_back(change.set_aside);
  }
  work->Run(
      BVHMILL_ADD_COUNTS(
          "SELECT job, $2::int, leased, ok, failed, set_aside, 0 FROM "
          "unnest($1::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], "
          "$6::bigint[]) u (job, leased, ok, failed, set_aside)"),
      ArrayOf(JobsOf(changes)), work->slot(), ArrayOf(leased), ArrayOf(ok),
      ArrayOf(failed), ArrayOf(set_aside));
}

// The row of the job is locked first: claims that are about to count their
// leases are waited for, and the sums are read after that.
absl::Status PostgresJobStore::EndJob(int64_t job, int64_t now_ms,
                                      bool* is_over) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    work->Run("SELECT 1 FROM job WHERE number = $1 FOR UPDATE", job);
    const pqxx::result ended = work->Run(
        "UPDATE job SET end_ms = greatest(create_ms, $2), state = CASE WHEN "
        "c.done >= total THEN 4 ELSE 6 END, bytes = job.bytes + c.bytes FROM "
        "(" BVHMILL_SUMS
        "$1) c WHERE number = $1 AND state < 4 AND " BVHMILL_IS_OVER,
        job, now_ms);
    *is_over = ended.affected_rows() == 1;
    if (*is_over) work->Notify(TextOf({JobNews::Kind::kOver, job}));
    return absl::OkStatus();
  });
}

void PostgresJobStore::EndJobs(const std::vector<int64_t>& jobs, int64_t now_ms,
                               std::vector<int64_t>* over) {
  if (jobs.empty()) return;
  std::vector<int64_t> ending;
  const absl::Status found = connections_.Run(Commit::kNone, [&](Work* work) {
    ending = NumbersOf(
        work->Run("SELECT job.number FROM job CROSS JOIN LATERAL (" BVHMILL_SUMS
                  "job.number) c WHERE job.number = ANY ($1::bigint[]) AND "
                  "job.state < 4 AND " BVHMILL_IS_OVER,
                  ArrayOf(jobs)));
    return absl::OkStatus();
  });
  if (!found.ok()) return;
  for (const int64_t job : ending) {
    bool is_over = false;
    if (EndJob(job, now_ms, &is_over).ok() && is_over) over->push_back(job);
  }
}

absl::Status PostgresJobStore::EndLeasesOfOthers(int64_t now_ms) {
  constexpr int kMost = 10'000;
  std::vector<int64_t> open;
  BVHMILL_RETURN_IF_ERROR(
      connections_.Run(Commit::kDurable, [&](Work* work) -> absl::Status {
        const pqxx::result ended = work->Run(
            "WITH gone AS MATERIALIZED (SELECT job, number FROM item WHERE "
            "state = 1 AND lease > 0 AND lease_until_ms < " BVHMILL_DATABASE_MS
            " ORDER BY job, number LIMIT $1 FOR UPDATE SKIP LOCKED), waits AS "
            "(UPDATE item SET state = 0, crashes = crashes + 1 FROM gone WHERE "
            "item.job = gone.job AND item.number = gone.number RETURNING "
            "item.job) SELECT job, count(*) FROM waits GROUP BY job",
            kMost);
        Changes changes;
        for (const auto& row : ended) {
          changes[row[0].as<int64_t>()].leased = -row[1].as<int64_t>();
        }
        AddCounts(changes, work);
        if (!changes.empty()) work->Notify(TextOf({JobNews::Kind::kItems}));
        // A server may have ended between the last result of a job and its
        // end.
        open = NumbersOf(work->Run("SELECT number FROM job WHERE state < 4"));
        return absl::OkStatus();
      }));
  std::vector<int64_t> over;
  EndJobs(open, now_ms, &over);
  return absl::OkStatus();
}

absl::Status PostgresJobStore::Heartbeat(int64_t now_ms, int64_t until_ms) {
  const std::chrono::milliseconds lease(until_ms - now_ms);
  BVHMILL_RETURN_IF_ERROR(connections_.Run(Commit::kFast, [&](Work* work) {
    work->Run("UPDATE item SET lease_until_ms = " BVHMILL_DATABASE_MS
              " + $1 WHERE state = 1 AND lease BETWEEN $2::bigint << 32 AND "
              "($2::bigint + 1) << 32",
              lease.count(), server_);
    return absl::OkStatus();
  }));
  const Clock::time_point now = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    // Servers beat several times per lease: after half of one, those of others
    // may be late, too.
    if (2 * (now - last_beat_) > lease) beats_since_ = now;
    last_beat_ = now;
    if (now - beats_since_ < lease) return absl::OkStatus();
  }
  return EndLeasesOfOthers(now_ms);
}

}  // namespace bvhmill::server
