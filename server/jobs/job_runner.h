#pragma once

// Claimed items whose callers have no room left in their limits. The items keep
// their leases and wait here, while items of other callers run. In the database
// each would wait a second before it is claimed again. Their number is bounded:
// else callers without room could make a server claim more and more.
//
// Not thread-safe.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

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

class HeldItems {
 public:
  // The most items of one caller: as many as one claim may get.
  static constexpr size_t kMostOfCaller = 256;
  // The most items of all callers.
  static constexpr size_t kMost = 512;

  // Adds an item after all others of its caller. False if there are too many:
  // the caller of this function must give the lease of the item back.
  bool AddLast(const WorkPtr& work);
  // The same, before all others of its caller.
  bool AddFirst(const WorkPtr& work);

  size_t size() const { return size_; }
  bool Has(const std::string& caller) const { return items_.contains(caller); }
  // The callers that have items, sorted.
  std::vector<std::string> Callers() const;
  // Removes and returns the first item of a caller; null if there is none.
  WorkPtr Take(const std::string& caller);
  // Removes and returns all items.
  std::vector<WorkPtr> TakeAll();

 private:
  bool HasRoom(const std::string& caller) const;

  // By caller.
  std::map<std::string, std::deque<WorkPtr>> items_;
  size_t size_ = 0;
};

// Callers whose items are not claimed for a time. Not thread-safe.
class CallersLeftOut {
 public:
  using Clock = std::chrono::steady_clock;

  // Leaves out `caller` until this time.
  void Add(const std::string& caller, Clock::time_point until) {
    until_[caller] = until;
  }
  // Leaves out `caller` no longer.
  void Remove(const std::string& caller) { until_.erase(caller); }
  bool Has(Clock::time_point now, const std::string& caller) const;
  // Adds the callers that are left out at `now` to `callers`. Forgets those
  // whose time is over.
  void AddTo(Clock::time_point now, std::set<std::string>* callers);

 private:
  std::map<std::string, Clock::time_point> until_;
};

// Works on the items of jobs. It claims items, has the workers convert them in
// the background, after interactive calls, and an ItemStorer store their
// results.
//
// One thread claims items and renews their leases. No worker waits for an
// fsync.
//
// A fault of a file is the result of its item. After a fault of the server the
// item waits and is tried again: max_item_tries times at most, if that is set.
// While a store or the database fails, the disk is full or memory is short, the
// runner pauses, and no try counts.

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
  // Items that are being worked on are cancelled, and wait again.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  // Looks for items soon. Call it when items may wait.
  void Wake();
  // Stops the work on items of a job that was cancelled, also on those that are
  // just being claimed.
  void Cancel(int64_t job);
  // Claims nothing from now on. Items that are claimed are still worked on.
  void Drain();

  // True while the runner pauses: see the head of this file.
  bool is_paused() const { return is_paused_; }
  // The number of callers whose items wait, since their blobs are beyond their
  // share and space is scarce.
  int64_t blocked_callers();
  // Why items of this job wait: the last try of one has failed, or the runner
  // pauses. OK if neither is known here.
  absl::Status WhyItWaits(int64_t job);
  // The number of times that the thread of claims has looked for work.
  int64_t looks() const { return looks_; }

 private:
  using Clock = std::chrono::steady_clock;

  void RunClaims(const std::stop_token& stop);
  void Renew(Clock::time_point now);
  void Beat(Clock::time_point now);
  // The number of items that workers may have at once: twice the number of
  // workers. It is half of the number of workers, one at least, while clips of
  // calls are in flight, or were so a moment ago: calls then find a free core.
  // With the mutex.
  int MaxActive(Clock::time_point now) {
    constexpr std::chrono::milliseconds kMoment(200);
    const int threads = parts_.queue.threads();
    if (parts_.admission.clips() > active_) calls_until_ = now + kMoment;
    return now < calls_until_ ? std::max(threads / 2, 1) : 2 * threads;
  }
  int64_t LeaseMs() const {
    return 1000 * parts_.config.jobs.job_lease_seconds;
  }
  int MaxClaimed() const;
  int Room() const;
  void LookForSuspects(int64_t time_ms);
  bool ClaimSome();
  bool ClaimASuspect();
  bool Claim(int limit, bool suspects);
  void Start(ClaimedItem item);
  void StartOrGiveBack(std::vector<ClaimedItem> items);
  WorkPtr TakeReady();
  WorkPtr TakeHeld(const std::string& caller);
  void Fill();
  void FillHeld();
  absl::Status CheckRoomOf(const Caller& caller);
  bool Admit(const WorkPtr& work);
  bool AdmitOrRefuse(const WorkPtr& work);
  bool Hold(const WorkPtr& work);
  void Queue(const WorkPtr& work);
  void Run(const WorkPtr& work);
  void Refuse(const WorkPtr& work, absl::Status why);
  void GiveBack(const WorkPtr& work, absl::Status why);
  void Ended(const std::vector<WorkPtr>& works);
  void Pause(const absl::Status& why);
  ItemStorer::Hooks HooksFor(
      std::function<void(const std::vector<int64_t>& jobs)> on_over);

  const Parts parts_;
  DataFolder& folder_;
  std::atomic<bool> is_paused_{false};
  std::atomic<bool> is_draining_{false};
  std::atomic<int64_t> looks_{0};

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any ended_;
  // All of these with the mutex. Items that are claimed and not stored, and
  // those of them that were not begun.
  std::list<WorkPtr> running_;
  std::deque<WorkPtr> ready_;
  // Items whose callers have no room left in their limits. No further items of
  // these callers are claimed.
  HeldItems held_;
  // Callers whose items found no room, and were not held; the same for
  // suspects. A suspect that cannot run must not keep others from running.
  CallersLeftOut left_out_;
  CallersLeftOut suspects_left_out_;
  // Callers whose last item found no room for its outputs. They are forgotten
  // if none of their items is looked at again.
  CallersLeftOut blocked_;
  // True while the server waits until all items have ended, to work on a
  // suspect or to stop: no item is held then.
  bool holds_none_ = false;
  // The number of items that workers have.
  int active_ = 0;
  // The last jobs that were cancelled.
  std::deque<int64_t> cancelled_;
  Clock::time_point calls_until_;
  // The time that an item takes a worker, on average over the last ones.
  double item_seconds_ = 0.005;
  bool may_have_items_ = true;
  Clock::time_point paused_until_;
  Clock::duration pause_{};
  absl::Status pause_why_;
  // Used by the thread that claims.
  bool has_suspects_ = true;
  Clock::time_point next_beat_;
  Clock::time_point next_renewal_;

  // The last members: they use the others.
  ItemStorer storer_;
  std::jthread claims_;
};

}  // namespace bvhmill::server
