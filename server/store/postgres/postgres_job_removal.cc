// The removal of jobs: the part of PostgresJobStore that may take long.

#include <array>
#include <limits>
#include <string>
#include <thread>

#include "bvhmill/base/status.h"
#include "server/store/job_parts.h"
#include "server/store/postgres/postgres_job_store.h"
#include "server/store/removal_sql.h"

namespace bvhmill::server {

// The items of a job below `end`, with their results. The rows that are left
// are a whole job, so a check of the data is content.
void PostgresJobStore::RemoveItems(int64_t job, int64_t end, Work* work) {
  std::array<int64_t, 4> removed = {};
  size_t table = 0;
  for (const char* const sql :
       {"DELETE FROM output WHERE job = $1 AND item < $2",
        "DELETE FROM result WHERE job = $1 AND item < $2 AND code = 0",
        "DELETE FROM result WHERE job = $1 AND item < $2",
        "DELETE FROM item WHERE job = $1 AND number < $2"}) {
    removed[table++] =
        static_cast<int64_t>(work->Run(sql, job, end).affected_rows());
  }
  AddCounts({{job, {.ok = -removed[1], .failed = -removed[2]}}}, work);
  work->Run("UPDATE job SET " BVHMILL_GONE
            ", total = total - $2 WHERE number = $1",
            job, removed[3]);
}

absl::Status PostgresJobStore::RemoveSome(int64_t job, Removed* removed) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    // Another server removes the job, or has removed it.
    *removed = Removed::kByAnother;
    const pqxx::result mine = work->Run(
        "SELECT 1 FROM job WHERE number = $1 AND state >= 4 FOR UPDATE SKIP "
        "LOCKED",
        job);
    if (mine.empty()) return absl::OkStatus();
    const pqxx::result next = work->Run(
        "SELECT number FROM item WHERE job = $1 ORDER BY number LIMIT 1 OFFSET "
        "$2",
        job, kRemovedAtOnce);
    RemoveItems(job,
                next.empty() ? std::numeric_limits<int64_t>::max()
                             : next[0][0].as<int64_t>(),
                work);
    *removed = next.empty() ? Removed::kAll : Removed::kPart;
    if (!next.empty()) return absl::OkStatus();
    work->Run("DELETE FROM job_count WHERE job = $1", job);
    work->Run("DELETE FROM job WHERE number = $1", job);
    return absl::OkStatus();
  });
}

absl::Status PostgresJobStore::Delete(const std::string& caller,
                                      const std::string& id) {
  int64_t job = 0;
  BVHMILL_RETURN_IF_ERROR(
      connections_.Run(Commit::kDurable, [&](Work* work) -> absl::Status {
        const pqxx::result hidden =
            work->Run("UPDATE job SET " BVHMILL_GONE
                      " WHERE id = $1 AND caller = $2 AND state >= 4 RETURNING "
                      "number",
                      id, caller);
        if (!hidden.empty()) {
          job = hidden[0][0].as<int64_t>();
          return absl::OkStatus();
        }
        const pqxx::result kept = work->Run(
            "SELECT 1 FROM job WHERE id = $1 AND caller = $2", id, caller);
        return kept.empty() ? NoJob(id) : JobNotOver();
      }));
  // The job is gone. Rows that cannot be removed now are left to Expire.
  Removed removed = Removed::kPart;
  static_cast<void>(RemoveSome(job, &removed));
  return absl::OkStatus();
}

absl::Status PostgresJobStore::Expire(int64_t before_ms, int64_t* count) {
  *count = 0;
  std::vector<int64_t> jobs;
  BVHMILL_RETURN_IF_ERROR(connections_.Run(Commit::kFast, [&](Work* work) {
    jobs.clear();
    const pqxx::result found = work->Run(
        "SELECT number FROM job WHERE state >= 4 AND end_ms < $1 ORDER BY "
        "end_ms LIMIT 100",
        before_ms);
    for (const auto& row : found) jobs.push_back(row[0].as<int64_t>());
    return absl::OkStatus();
  }));
  for (const int64_t job : jobs) {
    Removed removed = Removed::kPart;
    while (removed == Removed::kPart) {
      BVHMILL_RETURN_IF_ERROR(RemoveSome(job, &removed));
      if (removed == Removed::kPart) std::this_thread::sleep_for(kRemovalPause);
    }
    if (removed == Removed::kAll) ++*count;
  }
  return absl::OkStatus();
}

}  // namespace bvhmill::server
