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
// The interface is narrow, so that engines for one server and for several
// servers can implement it. Times are milliseconds since 1970.

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/store/blob_store.h"

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

// The number of unfinished items that one caller may have.
struct ItemShare {
  // 0 = any number. Not used if the share is fair.
  int64_t most = 0;
  // The caller may use half of what other callers leave of the bound on all, so
  // that the next caller finds room. Any number if there is no bound on all.
  bool is_fair = false;
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
  // The same for the bytes of the rows of the kept jobs of this caller: see
  // RowBytesOf.
  int64_t max_row_bytes = 0;
  // The same for the unfinished items of this caller.
  ItemShare item_share;
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

// A claim of one item. The number `lease` is unique for each claim.
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

struct JobPage {
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
  // True: only suspects, i.e. items that may be poison items; those of a caller
  // with the fewest crashes first. False: only others. See kSuspectCrashes.
  bool suspects = false;
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

// An item that was leased during this many crashes of a server is a suspect: it
// may be a poison item. It runs alone, so that no other item fails with it.
inline constexpr int kSuspectCrashes = 2;

// Thread-safe. Functions block for the disk or the network. After OK a change
// survives a crash, except Claim and Heartbeat of an engine for several
// servers: a database that crashes may lose them, and the items run again.
// Errors besides those that are named:
// RESOURCE_EXHAUSTED, DISK_FULL; INTERNAL, STORE_FAULT; UNAVAILABLE,
// DATABASE_UNAVAILABLE, after which it is not known whether a change was
// stored.
class JobStore {
 public:
  JobStore() = default;
  virtual ~JobStore() = default;
  JobStore(const JobStore&) = delete;
  JobStore& operator=(const JobStore&) = delete;

  // Stores a job. If the caller has a job with the same request_id, returns
  // that job if the digests are equal, else ALREADY_EXISTS, REQUEST_ID_USED.
  // RESOURCE_EXHAUSTED, LIMIT_EXCEEDED if a new job exceeds its bounds. Jobs
  // that are made at once, also by several servers, do not exceed them
  // together.
  virtual absl::Status Create(const NewJob& job, int64_t now_ms, JobInfo* info,
                              bool* is_new) = 0;
  // Finds the job that Create would return without making a new one. Errors as
  // there.
  virtual absl::Status FindRepeat(const NewJob& job, JobInfo* info,
                                  bool* is_there) = 0;
  // NOT_FOUND if the caller has no such job; the same for all functions with an
  // id.
  virtual absl::Status Get(const std::string& caller, const std::string& id,
                           JobInfo* info) = 0;
  // `has_more`: there are older jobs.
  virtual absl::Status List(const JobPage& page, std::vector<JobInfo>* jobs,
                            bool* has_more) = 0;
  virtual absl::Status Results(const std::string& caller, const std::string& id,
                               const ResultPage& page,
                               std::vector<StoredResult>* results) = 0;
  // Cancels a job: its waiting items get no result. `info` is its state after
  // that. A job that is over stays as it is.
  virtual absl::Status Cancel(const std::string& caller, const std::string& id,
                              int64_t now_ms, JobInfo* info) = 0;
  // Deletes a job. FAILED_PRECONDITION, JOB_NOT_OVER. The job disappears at
  // once; Expire removes rows of a large job, and rows that cannot be removed
  // now.
  virtual absl::Status Delete(const std::string& caller,
                              const std::string& id) = 0;
  // Deletes jobs that were over before `before_ms`, 100 at most. `count` is
  // their number.
  virtual absl::Status Expire(int64_t before_ms, int64_t* count) = 0;

  // Leases items that wait. Callers with waiting items get equal shares; the
  // items of one caller are taken in the order of their jobs, except suspects.
  virtual absl::Status Claim(const ClaimRules& rules,
                             std::vector<ClaimedItem>* items) = 0;
  // The callers of suspects that Claim would lease.
  virtual absl::Status FindSuspects(int64_t now_ms,
                                    std::set<std::string>* callers) = 0;
  // Renews the leases of this server until `until_ms`, and ends expired leases
  // of others. Call it several times per lease.
  virtual absl::Status Heartbeat(int64_t now_ms, int64_t until_ms) = 0;
  // Stores results, all or none. accepted[i] is false if the lease of items[i]
  // has ended; its result is dropped then. Appends the numbers of jobs that are
  // over now to `over`.
  virtual absl::Status Complete(std::span<const FinishedItem> items,
                                int64_t now_ms, std::vector<bool>* accepted,
                                std::vector<int64_t>* over) = 0;
  // Ends leases without results: the items wait again, unless their job was
  // cancelled. Ignores leases that have ended. `over` as above.
  virtual absl::Status Release(std::span<const FailedTry> tries, int64_t now_ms,
                               std::vector<int64_t>* over) = 0;

  // named[i] is true if an item or a result of a job names blobs[i]. A job that
  // was deleted names none.
  virtual absl::Status FindNamed(std::span<const BlobName> blobs,
                                 std::vector<bool>* named) = 0;
  // Returns the error with which Create would refuse the job for its bounds
  // now; OK if it would not.
  virtual absl::Status CheckRoom(const NewJob& job) = 0;
  virtual absl::Status Stats(JobStats* stats) = 0;

  // From now on a thread of the store calls `hear` when a server that uses the
  // same jobs, this one included, adds, ends or cancels some. Call it once; it
  // ends with the store. A store of one server does nothing.
  virtual void Listen(const std::function<void(const JobNews&)>& /*hear*/) {}
};

}  // namespace bvhmill::server
