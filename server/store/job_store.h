#pragma once

// Jobs, their items and the results of the items, as plain data.
//
// An item waits, or is leased to a worker, or is done. A worker claims items,
// renews its leases while it works, and completes each item with its result:
//
//   jobs->Create(job, now_ms, &info, &is_new);
//   jobs->Claim({.limit = 8, .now_ms = now_ms, .until_ms = until_ms}, &items);
//   jobs->Heartbeat(now_ms, until_ms);
//   jobs->Complete(finished, now_ms, &accepted, &over);
//
// The store accepts a result only from the worker that holds the lease, and
// only once. So each item has exactly one result, however often it runs. When a
// server ends, its leases end, and its items wait again.
//
// Each claim is a lease, which its server renews as long as one of its items
// runs. A lease that is not renewed ends, and another server returns its items
// to the queue. A claim whose answer is lost ends in the same way.
//
// Times are milliseconds since 1970. Times of leases are those of the clock of
// the database.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/store/blob_store.h"
#include "server/store/sql.h"

namespace bvhmill::server {

enum class JobState : int {
  kPending = 1,
  kRunning = 2,
  kCancelling = 3,
  kSucceeded = 4,
  kFailed = 5,
  kCancelled = 6,
};

// True if no item of the job will get a result any more.
inline bool IsOver(JobState state) { return state >= JobState::kSucceeded; }

struct NewItem {
  std::string key = {};
  // The digest of its source, in the space of the caller.
  std::string blob = {};
  // Numbers of the enums of the API.
  int encoding = 0;
  int format = 0;
  std::string display_name = {};
  // Serialized; empty = the options of the job.
  std::string options = {};
  // The outputs that a new item asks for. Not stored.
  int64_t outputs = 0;
};

struct NewJob {
  std::string caller;
  std::string display_name;
  // Serialized messages.
  std::string annotations;
  std::string options;
  // A repeat of a request has the same id and the same digest. An empty id: the
  // request has no repeats.
  std::string request_id;
  std::string request_digest;
  std::vector<NewItem> items;
  // Create refuses the job if there would be more unfinished items of all
  // callers, or kept jobs of this one; 0 = any number.
  int64_t max_queued_items = 0;
  int64_t max_jobs = 0;
  // The same for the unfinished items of this caller.
  int64_t max_own_items = 0;
  // The same for the bytes of the blobs of this caller: those that are stored
  // now, `space_bytes`, and the expected ones of the outputs of its unfinished
  // items.
  int64_t max_space_bytes = 0;
  int64_t space_bytes = 0;
  // The expected bytes of the outputs of an item, on average.
  int64_t asked = 0;
};

struct JobInfo {
  // Chosen by the store: letters and digits.
  std::string id;
  // Ascends in the order of creation.
  int64_t number = 0;
  std::string caller;
  std::string display_name;
  std::string annotations;
  JobState state = JobState::kPending;
  int64_t total = 0;
  int64_t ok = 0;
  // Items with an error as their result, the dead-lettered ones included.
  int64_t failed = 0;
  int64_t running = 0;
  // Dead-lettered items: see ItemResult::is_set_aside.
  int64_t set_aside = 0;
  int64_t create_ms = 0;
  // 0 = not yet.
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  // Serialized. Only Get fills it.
  std::string options;
};

// The lease of one item. All items of a claim have the same number `lease`.
struct Lease {
  int64_t job = 0;
  int64_t item = 0;
  int64_t lease = 0;

  bool operator==(const Lease&) const = default;
};

struct ClaimedItem {
  Lease lease;
  // JobInfo::id of its job.
  std::string job_id;
  std::string caller;
  NewItem item;
  // Serialized: the options of the item, or those of the job if it has none.
  std::shared_ptr<const std::string> options;
  // The number of earlier tries that failed by a fault of the server, and of
  // those during which the server ended.
  int tries = 0;
  int crashes = 0;
  // The error of the last failed try that counted.
  std::string why;
};

// The result of an item.
struct ItemResult {
  // A code of gRPC; 0 = OK.
  int code = 0;
  // A serialized ClipResult.
  std::string bytes;
  // The digests of its outputs.
  std::vector<std::string> outputs;
  // The item was dead-lettered after too many tries.
  bool is_set_aside = false;
};

struct FinishedItem {
  Lease lease;
  ItemResult result;
};

struct StoredResult {
  int64_t item = 0;
  std::string bytes;
};

// The longest backoff of an item after a failed try.
inline constexpr int64_t kLongestBackoffMs = 300'000;

// A try of an item that failed by a fault of the server. The item keeps the
// `why` of the last try that counted.
struct FailedTry {
  Lease lease;
  // False: the try did not begin, e.g. for lack of memory.
  bool counts = true;
  // The item waits until this time, which is at most kLongestBackoffMs ahead.
  // If it is farther ahead, the clock was set back, and the item may be
  // claimed.
  int64_t not_before_ms = 0;
  std::string why = {};
};

// Stands for all callers. No token has this name.
inline constexpr char kAnyCaller[] = "*";

struct JobPage {
  // May be kAnyCaller.
  std::string caller = {};
  // Only jobs in these states; empty = all.
  std::vector<JobState> states = {};
  // Only jobs with a lower number; 0 = all. Pages begin with the newest job.
  int64_t before = 0;
  // The most jobs of the page.
  int limit = 0;
  // The page ends before the job with which its bytes would exceed this number,
  // but has one job at least; 0 = any number.
  int64_t max_bytes = 0;
};

struct ResultPage {
  // Only items with a higher number; -1 = all. Pages are in the order of the
  // items.
  int64_t after = -1;
  // The most results of the page.
  int limit = 0;
  // The page ends before the result with which its bytes would exceed this
  // number, but has one result at least.
  int64_t max_bytes = 0;
  bool failed_only = false;
};

struct ClaimRules {
  // The most items that are claimed.
  int limit = 0;
  int64_t now_ms = 0;
  // The time at which the leases end unless they are renewed.
  int64_t until_ms = 0;
  // True: only items that must run alone, see kAloneCrashes; those with the
  // fewest crashes first. False: only others.
  bool alone = false;
  // Callers whose items are not claimed.
  std::set<std::string> without = {};
};

struct JobStats {
  int64_t jobs = 0;
  int64_t waiting = 0;
  int64_t leased = 0;
  // The time at which the oldest job that is not over was made; 0 = none.
  int64_t oldest_ms = 0;
};

// The jobs of one caller.
struct CallerUsage {
  std::string caller;
  int64_t jobs = 0;
  int64_t waiting = 0;
  int64_t leased = 0;
};

// NOT_FOUND, JOB_UNKNOWN.
absl::Status NoJob(const std::string& id);

// A change that this server or another one made. The number is that of the job;
// 0 for kItems and kMissed.
struct JobNews {
  enum class Kind : uint8_t {
    // Items wait.
    kItems,
    kOver,
    kCancelled,
    // News may have been lost: read all state again.
    kMissed,
  };
  Kind kind = Kind::kItems;
  int64_t job = 0;
};

// An item that was leased during this many crashes of a server may be the cause
// of them. It runs alone, so that no other item fails with it.
inline constexpr int kAloneCrashes = 2;

// Thread-safe. Functions block for the disk or the network. After OK a change
// survives a crash, except Claim and Heartbeat with several servers: a database
// that crashes may lose them, and the items run again. Errors besides those
// that are named: RESOURCE_EXHAUSTED, DISK_FULL; INTERNAL, STORE_FAULT;
// UNAVAILABLE, DATABASE_UNAVAILABLE, after which it is not known whether a
// change was stored.
class JobStore {
 public:
  // Uses `database`, whose tables are those of SchemaSql. If it is not shared,
  // ends the leases of the process before: its items wait again, and count a
  // crash.
  static absl::Status Open(std::unique_ptr<SqlDatabase> database,
                           std::unique_ptr<JobStore>* store);

  // Sets `has_jobs` to true if any caller has jobs.
  absl::Status HasJobs(bool* has_jobs);

  // Stores a job. If the caller has a job with the same request_id, returns
  // that job if the digests are equal, else ALREADY_EXISTS, REQUEST_ID_USED.
  // RESOURCE_EXHAUSTED, LIMIT_EXCEEDED if a new job exceeds its bounds. Jobs
  // that are made at once, also by several servers, do not exceed them
  // together.
  absl::Status Create(const NewJob& job, int64_t now_ms, JobInfo* info,
                      bool* is_new);
  // Finds the job that Create would return without making a new one. Errors as
  // there.
  absl::Status FindRepeat(const NewJob& job, JobInfo* info, bool* is_there);
  // NOT_FOUND if the caller has no such job; the same for all functions with an
  // id. `caller` may be kAnyCaller.
  absl::Status Get(const std::string& caller, const std::string& id,
                   JobInfo* info);
  // `has_more`: there are older jobs.
  absl::Status List(const JobPage& page, std::vector<JobInfo>* jobs,
                    bool* has_more);
  absl::Status Results(const std::string& caller, const std::string& id,
                       const ResultPage& page,
                       std::vector<StoredResult>* results);
  // Cancels a job: its waiting items get no result. `info` is its state after
  // that. A job that is over stays as it is.
  absl::Status Cancel(const std::string& caller, const std::string& id,
                      int64_t now_ms, JobInfo* info);
  // Deletes a job. FAILED_PRECONDITION, JOB_NOT_OVER. The job disappears at
  // once; Expire removes rows of a large job, and rows that cannot be removed
  // now.
  absl::Status Delete(const std::string& caller, const std::string& id);
  // Deletes jobs that were over before `before_ms`, 100 at most. `count` is
  // their number.
  absl::Status Expire(int64_t before_ms, int64_t* count);

  // Leases items that wait, of the jobs that were served least recently first;
  // those of one job in their order.
  absl::Status Claim(const ClaimRules& rules, std::vector<ClaimedItem>* items);
  // The callers of items that must run alone and may be claimed now.
  absl::Status FindAlone(int64_t now_ms, std::set<std::string>* callers);
  // Renews the leases of this server until `until_ms`, and ends expired leases
  // of others. Call it several times per lease. Ends leases of others only
  // after it has succeeded for the time of a lease: after an outage of the
  // database all servers have that time to renew theirs.
  absl::Status Heartbeat(int64_t now_ms, int64_t until_ms);
  // Stores results, all or none. accepted[i] is false if the lease of items[i]
  // has ended; its result is dropped then. Appends the numbers of jobs that are
  // over now to `over`.
  absl::Status Complete(std::span<const FinishedItem> items, int64_t now_ms,
                        std::vector<bool>* accepted,
                        std::vector<int64_t>* over);
  // Ends leases without results: the items wait again, unless their job was
  // cancelled. Ignores leases that have ended. `over` as above.
  absl::Status Release(std::span<const FailedTry> tries, int64_t now_ms,
                       std::vector<int64_t>* over);

  // named[i] is true if an item or a result of a job names blobs[i]. A job that
  // was deleted names none.
  absl::Status FindNamed(std::span<const BlobName> blobs,
                         std::vector<bool>* named);
  // Returns the error with which Create would refuse the job for its bounds
  // now; OK if it would not.
  absl::Status CheckRoom(const NewJob& job);
  absl::Status Stats(JobStats* stats);
  // What callers that have jobs use, in the order of their names. `caller` may
  // be kAnyCaller.
  absl::Status Usage(const std::string& caller,
                     std::vector<CallerUsage>* usages);

  // From now on a thread of the store calls `hear` when a server that uses the
  // same jobs, this one included, adds, ends or cancels some. Call it once; it
  // ends with the store. A store of one server does nothing.
  void Listen(const std::function<void(const JobNews&)>& hear);

 private:
  using Clock = std::chrono::steady_clock;

  explicit JobStore(std::unique_ptr<SqlDatabase> database)
      : database_(std::move(database)) {}

  absl::Status Recover();
  absl::Status EndLeasesOfOthers();
  void LeasesEnded(const std::map<int64_t, int64_t>& items);
  // Ends each of `jobs` whose items all have results, or that was cancelled and
  // has no leased items. Call it after the commit that may have been the last
  // one of a job. After an error a later heartbeat ends the jobs.
  absl::Status EndJobs(const std::set<int64_t>& jobs, int64_t now_ms,
                       std::vector<int64_t>* over);
  absl::Status EndSome(std::span<const int64_t> jobs, int64_t now_ms,
                       std::vector<int64_t>* over);
  absl::Status EndLiveJobs(int64_t now_ms);
  // Removes some thousand rows of a job that is hidden or over.
  enum class Removed : uint8_t { kPart, kAll, kByAnother };
  absl::Status RemoveSome(int64_t job, Removed* removed);

  const std::unique_ptr<SqlDatabase> database_;
  std::mutex mutex_;
  // The members below require the mutex. The running items of each lease of
  // this server.
  std::map<int64_t, int64_t> leases_;
  // The time of the last heartbeat, and of the first one since a late one.
  Clock::time_point last_beat_;
  Clock::time_point beats_since_;
};

// The statements that find waiting items. Each must read rows that wait, and
// none that are done: a test checks the plans of SQLite.

// A condition: the backoff of a waiting item is over at the time `now`. No
// backoff exceeds kLongestBackoffMs. If more time is left, the clock was set
// back, and the item may begin at once.
#define BVHMILL_MAY_BEGIN(now)                                          \
  "(item.not_before_ms <= " now "::bigint OR item.not_before_ms > " now \
  "::bigint + 300000)"
static_assert(kLongestBackoffMs == 300'000, "as in BVHMILL_MAY_BEGIN");
static_assert(kAloneCrashes == 2, "as in the statements below");

// The waiting and the leased items of a job, whose number follows.
#define BVHMILL_WAITING \
  " FROM item {INDEXED BY item_waiting} WHERE item.state = 0 AND item.job = "
#define BVHMILL_LEASED \
  " FROM item {INDEXED BY item_leased} WHERE item.state = 1 AND item.job = "

// The job that was served least recently, of those with items that may be
// claimed at the time $1, and whether it must go behind others now. Conditions
// on jobs follow, and kLeastServedEnd.
inline constexpr char kLeastServedSql[] =
    "SELECT job.number, job.id, job.caller, job.options, CASE WHEN job.state = "
    "1 OR job.served <= (SELECT max(other.served) FROM job other WHERE "
    "other.state < 4 AND other.number <> job.number) THEN 1 ELSE 0 END FROM "
    "job WHERE job.state < 4 AND job.state <> 3 AND EXISTS (SELECT "
    "1" BVHMILL_WAITING
    "job.number AND item.crashes < 2 AND " BVHMILL_MAY_BEGIN("$1") ")";
inline constexpr char kLeastServedEnd[] =
    " ORDER BY job.served, job.number LIMIT 1";

// The items that must run alone and may be claimed at the time $1, with their
// jobs. Conditions on callers may follow.
#define BVHMILL_ALONE                                                       \
  " FROM item {INDEXED BY item_crashed} JOIN job ON job.number = item.job " \
  "WHERE item.state = 0 AND "                                               \
  "item.crashes >= 2 AND job.state < 4 AND job.state "                      \
  "<> 3 AND " BVHMILL_MAY_BEGIN("$1")
inline constexpr char kAloneSql[] =
    "SELECT job.number, job.id, job.caller, job.options, 1, "
    "item.number" BVHMILL_ALONE;
inline constexpr char kAloneCallersSql[] =
    "SELECT DISTINCT job.caller" BVHMILL_ALONE;

// Finds whether an item names the blob $1 of the space $2. A hidden job, whose
// rows are about to be removed, names no blob.
#define BVHMILL_IS_NAMED(digest, space)                                    \
  "(EXISTS (SELECT 1 FROM item JOIN job ON job.number = item.job WHERE "   \
  "item.blob = " digest " AND job.space = " space                          \
  " AND job.caller <> '/gone') OR EXISTS (SELECT 1 FROM blob JOIN job ON " \
  "job.number = blob.job WHERE blob.digest = " digest                      \
  " AND job.space = " space " AND job.caller <> '/gone'))"

}  // namespace bvhmill::server
