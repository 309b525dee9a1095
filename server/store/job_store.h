#pragma once

// Jobs, their items and the results of these, as plain data.
//
// An item waits, or is leased to a worker, or is done. A worker claims items,
// keeps its leases alive while it works, and completes each item with its
// result. A result is accepted only from the worker that holds the lease, and
// only once: so each item has exactly one result, however often it was worked
// on. When a server ends, its leases end, and its items wait again.
//
// This interface is narrow on purpose: the engine for several machines
// implements the same functions. Times are milliseconds since 1970.

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
};

// The part of all unfinished items that one caller may have.
struct ItemShare {
  // 0 = any number, unless the share is fair.
  int64_t most = 0;
  // Half of what other callers leave of the bound on all, so that the next
  // caller finds room. Any number if there is no bound on all.
  bool is_fair = false;
};

struct NewJob {
  std::string caller;
  std::string display_name;
  // Serialized.
  std::string annotations;
  std::string options;
  // A repeat of a request has the same id and the same digest. May be empty.
  std::string request_id;
  std::string request_digest;
  std::vector<NewItem> items;
  // Create refuses the job if there would be more unfinished items of all
  // callers, or kept jobs of this one; 0 = any number.
  int64_t max_queued_items = 0;
  int64_t max_jobs = 0;
  // The same for the unfinished items of this caller.
  ItemShare item_share;
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
  // With an error as their result, those set aside included.
  int64_t failed = 0;
  int64_t running = 0;
  int64_t set_aside = 0;
  int64_t create_ms = 0;
  // 0 = not yet.
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  // Serialized. Only Get fills it.
  std::string options;
};

// A claim of one item. `lease` differs for every claim.
struct Lease {
  int64_t job = 0;
  int64_t item = 0;
  int64_t lease = 0;

  bool operator==(const Lease&) const = default;
};

struct ClaimedItem {
  Lease lease;
  std::string caller;
  NewItem item;
  // Serialized; those of the item if it has some.
  std::shared_ptr<const std::string> options;
  // Earlier tries that failed by a fault of the server, and that ended because
  // the server did.
  int tries = 0;
  int crashes = 0;
  // Why the last try has failed.
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
  // The item was given up after too many tries.
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

// The longest time that an item waits after a try that failed.
inline constexpr int64_t kLongestBackoffMs = 300'000;

// An item whose try failed by a fault of the server. Its item keeps the `why`
// of the last try that counted.
struct FailedTry {
  Lease lease;
  // False: nothing was tried, e.g. for want of memory.
  bool counts = true;
  // It waits until then: for kLongestBackoffMs at most. An item that should
  // wait for longer may be claimed at once, since the clock was set back.
  int64_t not_before_ms = 0;
  std::string why = {};
};

struct JobPage {
  std::string caller = {};
  // Only jobs in these states; empty = all.
  std::vector<JobState> states = {};
  // Only jobs with a lower number; 0 = all. Pages begin with the newest job.
  int64_t before = 0;
  int limit = 0;
  // The page ends before a job whose texts would exceed it, but for its first;
  // 0 = any number.
  int64_t max_bytes = 0;
};

struct ResultPage {
  // Only items after this one; -1 = all.
  int64_t after = -1;
  int limit = 0;
  // The page ends before a result that would exceed it, but for its first.
  int64_t max_bytes = 0;
  bool failed_only = false;
};

struct ClaimRules {
  int limit = 0;
  int64_t now_ms = 0;
  // When the leases end unless they are renewed.
  int64_t until_ms = 0;
  // Items that may have ended the server, the least suspect first: see
  // kSuspectCrashes.
  bool suspects = false;
  // Callers whose items are not claimed.
  std::set<std::string> without = {};
};

struct JobStats {
  int64_t jobs = 0;
  int64_t waiting = 0;
  int64_t leased = 0;
  // When the oldest item that is not done was created; 0 = none.
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
    // News may have been lost: look at everything.
    kMissed,
  };
  Kind kind = Kind::kItems;
  int64_t job = 0;
};

// An item that was leased this often when a server ended without notice is
// worked on alone, so that it cannot take others with it.
inline constexpr int kSuspectCrashes = 2;

// Thread-safe. Functions block for the disk. What a function has acknowledged
// with OK survives a crash. Errors besides those that are named:
// RESOURCE_EXHAUSTED, DISK_FULL; INTERNAL, STORE_FAULT; UNAVAILABLE,
// DATABASE_UNAVAILABLE, after which it is not known whether a change was
// stored.
class JobStore {
 public:
  JobStore() = default;
  virtual ~JobStore() = default;
  JobStore(const JobStore&) = delete;
  JobStore& operator=(const JobStore&) = delete;

  // Stores a job. If the caller has one with the same request_id: that job if
  // the digests are equal, else ALREADY_EXISTS, REQUEST_ID_USED. Otherwise
  // RESOURCE_EXHAUSTED, LIMIT_EXCEEDED if it exceeds its bounds; no two jobs,
  // also of two servers, exceed them together.
  virtual absl::Status Create(const NewJob& job, int64_t now_ms, JobInfo* info,
                              bool* is_new) = 0;
  // Finds the job that Create would return without making one.
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
  // Items that wait get no result any more. A job that is over stays as it is.
  virtual absl::Status Cancel(const std::string& caller, const std::string& id,
                              int64_t now_ms, JobInfo* info) = 0;
  // FAILED_PRECONDITION, JOB_NOT_OVER. The job is gone at once; the rows of a
  // large one may be left to Expire.
  virtual absl::Status Delete(const std::string& caller,
                              const std::string& id) = 0;
  // Deletes jobs that were over before `before_ms`; `count` is their number.
  virtual absl::Status Expire(int64_t before_ms, int64_t* count) = 0;

  // Leases items that wait. Callers with waiting items get equal shares; the
  // items of one caller are taken in the order of their jobs.
  virtual absl::Status Claim(const ClaimRules& rules,
                             std::vector<ClaimedItem>* items) = 0;
  // The callers of suspects that Claim would lease.
  virtual absl::Status FindSuspects(int64_t now_ms,
                                    std::set<std::string>* callers) = 0;
  // Renews the leases of this server until `until_ms`, and ends those of
  // others that were over before `now_ms`. Call it several times per lease.
  virtual absl::Status Heartbeat(int64_t now_ms, int64_t until_ms) = 0;
  // Stores results. accepted[i] is false if the lease of items[i] has ended;
  // its result is dropped then. All or none on an error. `over` gets the
  // numbers of jobs that are over now.
  virtual absl::Status Complete(std::span<const FinishedItem> items,
                                int64_t now_ms, std::vector<bool>* accepted,
                                std::vector<int64_t>* over) = 0;
  // Ends leases without results: the items wait again. Those of jobs that were
  // cancelled do not; `over` as above.
  virtual absl::Status Release(std::span<const FailedTry> tries, int64_t now_ms,
                               std::vector<int64_t>* over) = 0;

  // named[i] is true if an item or a result of a job names blobs[i].
  virtual absl::Status FindNamed(std::span<const BlobName> blobs,
                                 std::vector<bool>* named) = 0;
  // The error with which Create would refuse the job now.
  virtual absl::Status CheckRoom(const NewJob& job) = 0;
  virtual absl::Status Stats(JobStats* stats) = 0;

  // Has `hear` called, by a thread of the store, when a server that uses the
  // same jobs has added, ended or cancelled some. Call it once; it ends with
  // the store. A store of one server has no news.
  virtual void Listen(const std::function<void(const JobNews&)>& /*hear*/) {}
};

}  // namespace bvhmill::server
