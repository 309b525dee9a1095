#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "server/jobs/job_runner.h"
#include "server/store/data_folder.h"

namespace bvhmill::server {

// Milliseconds since 1970.
inline int64_t WallClockMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The jobs of a server. Opens the data folder when it is needed, runs the
// items, tells calls when a job is over, and removes old jobs and blobs.

// The state of the jobs, for the page of metrics. All 0 if no folder is open.
struct JobGauges {
  JobStats stats;
  double oldest_seconds = 0;
  int64_t blob_bytes = 0;
  bool is_paused = false;
  // See JobRunner::blocked_callers.
  int64_t blocked_callers = 0;
};

// Thread-safe.
class Jobs {
 public:
  // All parts must outlive the jobs.
  explicit Jobs(const JobRunner::Parts& parts);
  // Ends all watches. Items that are being worked on are cancelled and given
  // back: they wait again.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Goes on with the jobs of an earlier run, if there is a data folder, or with
  // those of other servers, if they share a database. Fails if the data cannot
  // be used. But if the operator has not named the folder, and no part of it is
  // lost, the log says so, and calls about jobs fail. A full disk, or a
  // database or a store of blobs that does not answer, is no failure: it is
  // tried again.
  absl::Status Start();

  // Returns the folder, and makes it on the first call. The folder lives as
  // long as this object. UNIMPLEMENTED, JOBS_OFF: the server keeps no jobs.
  // UNAVAILABLE: DATABASE_UNAVAILABLE or BLOBS_UNAVAILABLE if what servers
  // share does not answer yet; DATA_UNUSABLE if the folder cannot be used.
  // RESOURCE_EXHAUSTED, DISK_FULL if it cannot be opened without room.
  absl::Status Open(DataFolder** folder);

  // Call it after items were added.
  void Wake();
  // Call it after the job with this number was cancelled. `is_over`: no item of
  // it is being worked on.
  void Cancel(int64_t number, bool is_over);
  // Why items of the job with this number wait: see JobRunner.
  absl::Status WhyItWaits(int64_t number);
  // Claims no items from now on; claimed ones are still worked on. All watches
  // end.
  void Drain();

  // Calls `done` once: when the job ends, at `deadline`, or when the server
  // drains. The call may come from any thread, also before this returns. A job
  // that is over already does not end again: look at it after this. Returns an
  // id for Unwatch.
  int64_t Watch(int64_t number, std::chrono::steady_clock::time_point deadline,
                std::function<void()> done);
  // Ends a watch. If another thread has found it due before, `done` may still
  // be called after this returns.
  void Unwatch(int64_t id);

  JobGauges Now();

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiter {
    int64_t job = 0;
    Clock::time_point deadline;
    std::function<void()> done;
  };
  struct Opened {
    std::unique_ptr<DataFolder> folder;
    std::unique_ptr<JobRunner> runner;
  };

  // Opens the folder if it is not open. `waits`: if another thread is opening
  // shared data, wait for its result; else return that of the last try.
  absl::Status OpenOnce(bool waits);
  absl::Status OpenFolder(std::unique_ptr<DataFolder>* folder) const;
  bool IsShared() const { return !parts_.config.jobs_database.empty(); }
  absl::Status DataUnusable(const absl::Status& why) const;
  void OnNews(const JobNews& news);
  JobRunner* runner();
  void DrainRunner();
  void OnOver(const std::vector<int64_t>& jobs);
  template <typename IsDue>
  void Fire(const IsDue& is_due);
  void RunDeadlines(const std::stop_token& stop);
  void RunJanitor(const std::stop_token& stop);
  void CleanUp(DataFolder* folder, Clock::time_point now,
               const std::stop_token& stop);

  const JobRunner::Parts parts_;
  // Held while the folder is opened, which may take seconds. Locked before
  // open_mutex_.
  std::mutex opening_mutex_;
  // Held for moments only.
  std::mutex open_mutex_;
  Opened opened_;
  // The error of the last try to open the folder, and the time of the next try.
  // Without this, each call would ask a database that does not answer.
  absl::Status closed_;
  Clock::time_point next_open_;
  std::atomic<bool> tries_again_{false};

  std::mutex watch_mutex_;
  std::map<int64_t, Waiter> waiters_;
  int64_t next_id_ = 1;
  bool is_draining_ = false;

  // Used by the janitor.
  Clock::time_point next_expire_;
  Clock::time_point next_collect_;
  // The last members: their threads use the others. Two threads, so that
  // watches end in time while old data are removed.
  std::jthread deadlines_;
  std::jthread janitor_;
};

}  // namespace bvhmill::server
