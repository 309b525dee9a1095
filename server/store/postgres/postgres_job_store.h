#pragma once

// Jobs in a database of PostgreSQL. Any number of servers use it at once.
//
// Each server has a number, which is the upper part of the numbers of its
// leases. A running server renews its leases. The leases of a server that is
// down expire by the clock of the database; then another server returns their
// items to the queue.
//
// Transactions that change items never wait for each other. A claim skips items
// that are locked, and each connection adds to its own row of counts, its slot.
// So a transaction does not know whether it was the last one of its job. The
// store checks that after the commit: see EndJobs.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/store/blob_store.h"
#include "server/store/job_store.h"
#include "server/store/postgres/connections.h"
#include "server/store/postgres/job_listener.h"

namespace bvhmill::server {

class PostgresJobStore final : public JobStore {
 public:
  // See OpenPostgresJobStore.
  static absl::Status Open(const std::string& address,
                           std::unique_ptr<PostgresJobStore>* store,
                           std::string* identity, bool* has_jobs);

  absl::Status Create(const NewJob& job, int64_t now_ms, JobInfo* info,
                      bool* is_new) override;
  absl::Status FindRepeat(const NewJob& job, JobInfo* info,
                          bool* is_there) override;
  absl::Status Get(const std::string& caller, const std::string& id,
                   JobInfo* info) override;
  absl::Status List(const JobPage& page, std::vector<JobInfo>* jobs,
                    bool* has_more) override;
  absl::Status Results(const std::string& caller, const std::string& id,
                       const ResultPage& page,
                       std::vector<StoredResult>* results) override;
  absl::Status Cancel(const std::string& caller, const std::string& id,
                      int64_t now_ms, JobInfo* info) override;
  absl::Status Delete(const std::string& caller,
                      const std::string& id) override;
  absl::Status Expire(int64_t before_ms, int64_t* count) override;
  absl::Status Claim(const ClaimRules& rules,
                     std::vector<ClaimedItem>* items) override;
  absl::Status FindSuspects(int64_t now_ms,
                            std::set<std::string>* callers) override;
  // Ends leases of other servers only after its heartbeats have succeeded for
  // the duration of a lease: after an outage of the database all servers have
  // that time to renew their leases.
  absl::Status Heartbeat(int64_t now_ms, int64_t until_ms) override;
  absl::Status Complete(std::span<const FinishedItem> items, int64_t now_ms,
                        std::vector<bool>* accepted,
                        std::vector<int64_t>* over) override;
  absl::Status Release(std::span<const FailedTry> tries, int64_t now_ms,
                       std::vector<int64_t>* over) override;
  absl::Status FindNamed(std::span<const BlobName> blobs,
                         std::vector<bool>* named) override;
  absl::Status CheckRoom(const NewJob& job) override;
  absl::Status Stats(JobStats* stats) override;
  void Listen(const std::function<void(const JobNews&)>& hear) override;

 private:
  using Clock = std::chrono::steady_clock;
  // Changes of the counts of a job.
  struct CountChange {
    int64_t leased = 0;
    int64_t ok = 0;
    int64_t failed = 0;
    int64_t set_aside = 0;
  };
  // Changes by job. A transaction makes them in this order, so that no deadlock
  // occurs.
  using Changes = std::map<int64_t, CountChange>;

  PostgresJobStore(std::string address, int server);

  // The numbers of leases from the first to the last.
  struct LeaseRange {
    int64_t first = 0;
    int64_t last = 0;
  };

  absl::Status ClaimAll(const ClaimRules& rules, Work* work,
                        std::vector<ClaimedItem>* items,
                        std::vector<LeaseRange>* ranges);
  // Ends the leases of claims whose answer was lost. The database may have
  // stored them, but no server works on their items.
  absl::Status EndDoubtfulLeases();
  LeaseRange NewLeases(int64_t count);
  absl::Status ClaimOf(const std::string& caller, const ClaimRules& rules,
                       const LeaseRange& leases, Work* work,
                       std::vector<ClaimedItem>* items);
  absl::Status BeginJobs(const ClaimRules& rules, Work* work,
                         std::vector<ClaimedItem>* items);
  // Returns the jobs of the accepted items.
  std::set<int64_t> CompleteAll(std::span<const FinishedItem> items, Work* work,
                                std::vector<bool>* accepted);
  absl::Status EndLeasesOfOthers(int64_t now_ms);
  // Ends each of `jobs` whose items all have results, or that was cancelled and
  // has no leased items. Call it after the commit of a transaction that may be
  // the last one of a job. After an error a later heartbeat ends the job.
  void EndJobs(const std::vector<int64_t>& jobs, int64_t now_ms,
               std::vector<int64_t>* over);
  absl::Status EndJob(int64_t job, int64_t now_ms, bool* is_over);
  // The result of RemoveSome: it removed a part of the job, or the rest of it,
  // or nothing, because another server removes the job.
  enum class Removed : uint8_t { kPart, kAll, kByAnother };
  // Removes some thousand rows of a job that is hidden or over.
  absl::Status RemoveSome(int64_t job, Removed* removed);
  void RemoveItems(int64_t job, int64_t end, Work* work);
  static void AddCounts(const Changes& changes, Work* work);
  static std::vector<int64_t> JobsOf(const Changes& changes);

  const std::string address_;
  PostgresConnections connections_;
  const int server_;
  std::atomic<int64_t> next_lease_;
  std::mutex mutex_;
  // The members below require the mutex, except the listener.
  // The first caller of the last claim: see TakeTurns.
  std::string last_caller_;
  // The leases of claims whose answer was lost.
  std::vector<LeaseRange> doubtful_;
  // The time of the last heartbeat, and of the first one since a late one.
  Clock::time_point last_beat_;
  Clock::time_point beats_since_;
  // The last member: its thread ends first.
  std::unique_ptr<JobListener> listener_;
};

// Brings the schema up to date: runs the steps that the database lacks, all in
// one transaction. FAILED_PRECONDITION, DATA_TOO_NEW if the database contains
// more steps.
absl::Status MigratePostgres(std::span<const std::string_view> steps,
                             PostgresConnections* connections);

// The statements that read a page of results. A test checks the plans of
// PostgreSQL.

// The results of the job $1 after the item $2: at most $3 of them, and at most
// $4 bytes in all, but at least one result. `size` is the sum of the bytes up
// to this row, inclusive.
#define BVHMILL_RESULTS(which)                                              \
  "SELECT item, bytes FROM (SELECT item, bytes, row_number() OVER so_far, " \
  "sum(octet_length(bytes)) OVER so_far AS size FROM (SELECT item, bytes "  \
  "FROM result WHERE job = $1 AND item > $2" which                          \
  " ORDER BY item LIMIT $3)"                                                \
  " page WINDOW so_far AS (ORDER BY item)) sized WHERE row_number = 1 OR "  \
  "size <= $4 ORDER BY item"

inline constexpr char kResultsSql[] = BVHMILL_RESULTS("");
inline constexpr char kFailedResultsSql[] = BVHMILL_RESULTS(" AND code <> 0");

#undef BVHMILL_RESULTS

}  // namespace bvhmill::server
