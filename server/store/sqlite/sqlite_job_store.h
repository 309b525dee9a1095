#pragma once

// Jobs in a database of SQLite. One process at a time uses the database: see
// data_folder.h.
//
//   std::unique_ptr<SqliteJobStore> jobs;
//   BVHMILL_RETURN_IF_ERROR(SqliteJobStore::Open(path, &jobs));
//   BVHMILL_RETURN_IF_ERROR(jobs->Create(job, now_ms, &info, &is_new));

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/store/blob_store.h"
#include "server/store/job_parts.h"
#include "server/store/job_store.h"
#include "server/store/sqlite/sqlite.h"

namespace bvhmill::server {

class SqliteJobStore final : public JobStore {
 public:
  // Opens or makes the database at `path`, and brings its schema up to date.
  // Ends the leases of an earlier process: their items wait again, and count a
  // crash. Until the store is destroyed, the database has a mark: see
  // sqlite.h. FAILED_PRECONDITION: DATA_TOO_NEW if a newer server has written
  // it; DATA_INCOMPLETE if a part of it is lost, or if it is new and
  // `may_begin` is false.
  static absl::Status Open(const std::string& path,
                           std::unique_ptr<SqliteJobStore>* store,
                           bool may_begin = true);
  ~SqliteJobStore() override;

  // Sets `has_jobs` to true if any caller has jobs.
  absl::Status HasJobs(bool* has_jobs);

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

 private:
  SqliteJobStore(std::string path, std::unique_ptr<Database> writer,
                 std::unique_ptr<Database> reader);

  absl::Status Recover();
  static absl::Status CheckRoomIn(Database* database, const NewJob& job);
  // The steps of a removal: see kRemovedAtOnce.
  absl::Status Hide(const std::string& caller, const std::string& id,
                    int64_t* number);
  absl::Status RemoveSome(int64_t job, bool* is_gone);
  absl::Status Remove(int64_t job, int most_parts);
  absl::Status GiveBackPages();
  absl::Status GiveBackSomePages(bool* has_more);
  // The functions below require write_mutex_; FindJob with the reader requires
  // read_mutex_. Those that write run in a transaction of their caller, except
  // ClaimAll, which begins its own.
  absl::Status AddItems(int64_t job, const NewJob& from);
  absl::Status FindRequest(const NewJob& job, JobInfo* info, bool* is_there);
  absl::Status FindJob(Database* database, const std::string& caller,
                       const std::string& id, JobInfo* info);
  absl::Status RemoveItems(int64_t job, int64_t end);
  absl::Status AddBytes(int64_t job, int64_t bytes);
  // Ends the count of the bytes of the job.
  absl::Status DropBytes(int64_t job);
  absl::Status ClaimAll(const ClaimRules& rules,
                        std::vector<ClaimedItem>* items);
  absl::Status ClaimOf(const std::string& caller, const ClaimRules& rules,
                       int64_t limit, std::vector<ClaimedItem>* items);
  absl::Status LeaseTo(const ClaimRules& rules, ClaimedItem* item);
  absl::Status CompleteOne(const FinishedItem& item, bool* is_accepted);
  absl::Status ReleaseOne(const FailedTry& failed);
  absl::Status EndIfOver(int64_t job, int64_t now_ms,
                         std::vector<int64_t>* over);

  const std::string path_;
  // Two connections, so that reads do not wait for writes to the disk.
  std::mutex write_mutex_;
  std::unique_ptr<Database> writer_;
  std::mutex read_mutex_;
  std::unique_ptr<Database> reader_;
  int64_t next_lease_ = 0;
  // The first caller of the last claim: see TakeTurns.
  std::string last_caller_;
};

// Brings the schema of `database` up to date: runs the steps that it lacks,
// each in its own transaction. If the process is killed, each step is done or
// not begun. FAILED_PRECONDITION, DATA_TOO_NEW if the database contains more
// steps.
absl::Status Migrate(std::span<const std::string_view> steps,
                     Database* database);

// The statements that find waiting items. Each must read rows that wait, and
// none that are done: a test checks the plans of SQLite.

// Callers of jobs with waiting items.
inline constexpr char kWaitingCallersSql[] =
    "SELECT DISTINCT caller FROM job INDEXED BY job_unfinished WHERE state < 4 "
    "AND state <> 3 AND total > ok + failed + leased ORDER BY caller";

#define BVHMILL_WAITING_ITEMS(index, which)                                    \
  "SELECT item.job, item.number, key, blob, encoding, format, "                \
  "item.display_name, item.options, job.options, tries, crashes, last_error, " \
  "job.id FROM job INDEXED BY job_unfinished CROSS JOIN item INDEXED "         \
  "BY " index                                                                  \
  " ON item.job = job.number WHERE job.caller = ?1 AND job.state < 4 AND "     \
  "job.state <> 3 AND item.state = 0 AND " which                               \
  " AND " BVHMILL_MAY_BEGIN("?2") " ORDER BY "

// Waiting items of caller ?1 that may be claimed at the time ?2, at most ?3.
// Suspects are items with kSuspectCrashes or more; those with the fewest
// crashes are first.
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
