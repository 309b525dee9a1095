#pragma once

// JobRunner, the engine of jobs: it claims the items that wait in the database,
// has the workers convert them, and has their results stored. An item passes
// through four steps:
//
//   1. job_runner: the claiming thread leases the item from the JobStore.
//   2. job_runner: the item is admitted within the limits of its caller.
//      Without room there it stays ready, and items of other callers run.
//   3. item_work: workers call ItemWork::Turn until the item is done. This is
//      background work; interactive calls come first.
//   4. item_storer: ItemStorer stores the outputs and the result, or a retry.
//      Either ends the lease.
//
// One thread claims items and renews their leases. No worker waits for an
// fsync.
//
// A fault of a file is the result of its item. A fault of the server is a
// failed try: the item waits and is tried again, max_item_tries times at most
// if that is set. Then the item is dead-lettered. While a store or the database
// fails, the disk is full or memory is short, the runner pauses, and no try
// counts.
//
// An item that was leased kAloneCrashes times when a server ended without
// notice may be the reason. It runs alone: no other item ends with it.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "server/app/config.h"
#include "server/auth/tokens.h"
#include "server/jobs/item_storer.h"
#include "server/jobs/item_work.h"
#include "server/limits/admission.h"
#include "server/limits/fair_queue.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/store/data_folder.h"

namespace bvhmill::server {

// A set of callers that expire. Not thread-safe.
class ExpiringCallers {
 public:
  using Clock = std::chrono::steady_clock;

  // Adds `caller` until this time, or changes its time.
  void Add(const std::string& caller, Clock::time_point until) {
    until_[caller] = until;
  }
  void Remove(const std::string& caller) { until_.erase(caller); }
  // True if `caller` was added and expires after `now`.
  bool Has(Clock::time_point now, const std::string& caller) const;
  // Removes the callers that have expired at `now`, and returns the others.
  std::set<std::string> At(Clock::time_point now);

 private:
  std::map<std::string, Clock::time_point> until_;
};

// Runs the items of jobs: see the top of the file. Thread-safe.
class JobRunner {
 public:
  // All of these must outlive the runner.
  struct Parts {
    const ServerConfig& config;
    const Log& log;
    Metrics& metrics;
    const TokenStore& tokens;
    Admission& admission;
    FairQueue& queue;
  };

  // Starts the threads. A thread of the runner calls `on_over` with the numbers
  // of jobs that are over. `folder` must outlive the runner.
  JobRunner(const Parts& parts, DataFolder* folder,
            std::function<void(const std::vector<int64_t>& jobs)> on_over);
  // Cancels the items that workers have and releases their leases: the items
  // wait again. Blocks until all have ended.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  // Looks for items soon. Call it when items may wait.
  void Wake();
  // Stops the work on items of a job that was cancelled, also on those that are
  // just being claimed.
  void Cancel(int64_t job);
  // Claims nothing from now on. Workers still finish items that are claimed.
  void Drain();

  // True while the runner pauses: see the top of the file.
  bool is_paused() const { return is_paused_; }
  // The number of callers whose items wait because their blobs exceed their
  // share while space is scarce.
  int64_t blocked_callers();
  // Why items of this job wait, as far as this server knows; see Job.blocked.
  // OK if no reason is known, or if some of its items run.
  absl::Status WhyItWaits(const JobInfo& job);
  // The number of times that the claiming thread has looked for work.
  int64_t looks() const { return looks_; }

 private:
  using Clock = std::chrono::steady_clock;

  ItemStorer::Hooks HooksFor(
      std::function<void(const std::vector<int64_t>& jobs)> on_over);

  // Step 1, the claiming thread.
  void RunClaims(const std::stop_token& stop);
  void Beat(Clock::time_point now);
  void Renew(Clock::time_point now);
  void LookForAlone(int64_t time_ms);
  int64_t LeaseMs() const {
    return 1000 * parts_.config.jobs.job_lease_seconds;
  }
  int MaxClaimed() const;
  bool Waits(const WorkPtr& work) const;
  int Room() const;
  std::vector<WorkPtr> TakeAllReady();
  void MakeRoom();
  bool ClaimSome();
  bool ClaimAlone();
  bool Claim(int limit, bool alone);
  void StartOrGiveBack(std::vector<ClaimedItem> items);
  void Start(ClaimedItem item);

  // Step 2, admission.
  void Fill();
  WorkPtr TakeReady();
  // The number of items that workers may have at once: twice the number of
  // workers. While clips of calls are in flight, and for kMoment after, it is
  // half of the number of workers, one at least: calls then find a free core.
  // With the mutex.
  int MaxActive(Clock::time_point now) {
    constexpr std::chrono::milliseconds kMoment(200);
    const int threads = parts_.queue.threads();
    if (parts_.admission.clips() > active_) calls_until_ = now + kMoment;
    return now < calls_until_ ? std::max(threads / 2, 1) : 2 * threads;
  }
  bool AdmitOrRefuse(const WorkPtr& work);
  bool Admit(const WorkPtr& work);
  absl::Status CheckRoomOf(const Caller& caller);
  bool KeepReady(const WorkPtr& work);

  // Step 3, conversion by workers.
  void Queue(const WorkPtr& work);
  void Run(const WorkPtr& work);

  // The end of an item, and hooks of the storer.
  void Refuse(const WorkPtr& work, absl::Status why);
  void GiveBack(const WorkPtr& work, absl::Status why);
  void Ended(const std::vector<WorkPtr>& works);
  void Pause(const absl::Status& why);
  void GoOn();

  const Parts parts_;
  DataFolder& folder_;
  std::atomic<bool> is_paused_{false};
  std::atomic<bool> is_draining_{false};
  std::atomic<int64_t> looks_{0};

  // Guards the members from here to has_paused_.
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any ended_;
  // Items that are claimed and not stored.
  std::list<WorkPtr> running_;
  // The running items that wait for admission.
  std::deque<WorkPtr> ready_;
  // Callers with no room left in their limits, and when they are tried again.
  // Their ready items wait; no others of theirs are claimed.
  std::map<std::string, Clock::time_point> full_;
  // Callers whose items that run alone found no room: other items run.
  ExpiringCallers alone_later_;
  // Callers whose last item found no room for its outputs. They expire if no
  // other item of theirs is tried.
  ExpiringCallers blocked_;
  // The number of items that workers have.
  int active_ = 0;
  // The last jobs that were cancelled.
  std::deque<int64_t> cancelled_;
  // Interactive calls count as in flight until this time: see MaxActive.
  Clock::time_point calls_until_;
  // The seconds of worker time that an item takes, on average over the last
  // ones.
  double item_seconds_ = 0.005;
  bool may_have_items_ = true;
  Clock::time_point paused_until_;
  Clock::duration pause_{};
  absl::Status pause_why_;
  // True from the begin of a pause until the log says that the fault is over.
  bool has_paused_ = false;

  // Used by the claiming thread only.
  bool has_alone_ = true;
  Clock::time_point next_beat_;
  Clock::time_point next_renewal_;
  // The status of the last renewal.
  absl::Status renewed_;

  // The last members: they use the others.
  ItemStorer storer_;
  std::jthread claims_;
};

}  // namespace bvhmill::server
