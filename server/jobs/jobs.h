#pragma once

// The jobs of a server: opens the data folder when it is needed, runs the
// items, tells calls when a job is over, and removes what is too old.

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

// The state of the jobs now, for the page of metrics. Zero without a folder.
struct JobGauges {
  JobStats stats;
  double oldest_seconds = 0;
  int64_t blob_bytes = 0;
  bool is_paused = false;
};

// Thread-safe.
class Jobs {
 public:
  // All parts must outlive the jobs.
  explicit Jobs(const JobRunner::Parts& parts);
  // Items that are being worked on wait for the next start.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Goes on with the jobs of an earlier run, if there is a data folder, or of
  // other servers, if there is a database that they share. Fails if it cannot
  // be used, unless no operator has named it: then the log says so, and calls
  // about jobs fail. A database that does not answer is tried again.
  absl::Status Start();

  // The folder, which is made on the first call. UNIMPLEMENTED, JOBS_OFF: the
  // server keeps no jobs. UNAVAILABLE, DATABASE_UNAVAILABLE or
  // BLOBS_UNAVAILABLE: what servers share does not answer yet; DATA_UNUSABLE:
  // the folder cannot be used. The folder lives as long as the jobs.
  absl::Status Open(DataFolder** folder);

  // Items were added.
  void Wake();
  // The job with this number was cancelled. `is_over`: no item of it runs.
  void Cancel(int64_t number, bool is_over);
  // Begins no items from now on. All watches end.
  void Drain();

  // Calls `done` once: when the job is over, at `deadline`, or when the server
  // drains; by any thread, also before this returns. Returns an id for Unwatch.
  int64_t Watch(int64_t number, std::chrono::steady_clock::time_point deadline,
                std::function<void()> done);
  // `done` is not called after this returns, unless it was begun before.
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

  // `waits`: also for the end of the try of another thread.
  absl::Status OpenOnce(bool waits);
  absl::Status OpenFolder(std::unique_ptr<DataFolder>* folder) const;
  bool IsShared() const { return !parts_.config.jobs_database.empty(); }
  absl::Status DataUnusable(const absl::Status& why) const;
  void OnNews(const JobNews& news);
  JobRunner* runner();
  void OnOver(const std::vector<int64_t>& jobs);
  template <typename IsDue>
  void Fire(const IsDue& is_due);
  void RunDeadlines(const std::stop_token& stop);
  void RunJanitor(const std::stop_token& stop);
  void CleanUp(DataFolder* folder, Clock::time_point now);

  const JobRunner::Parts parts_;
  // Held while the folder is opened, which may take seconds; before the next
  // one.
  std::mutex opening_mutex_;
  // Held for moments only.
  std::mutex open_mutex_;
  Opened opened_;
  // Why the folder could not be opened the last time, and when it is tried
  // again: a database that does not answer is not asked by each call.
  absl::Status closed_;
  Clock::time_point next_open_;

  std::mutex watch_mutex_;
  std::map<int64_t, Waiter> waiters_;
  int64_t next_id_ = 1;
  bool is_draining_ = false;

  // Used by the janitor.
  Clock::time_point next_expire_;
  Clock::time_point next_collect_;
  // The last members: their threads use the others. Calls do not wait longer
  // than they asked for while old data are removed.
  std::jthread deadlines_;
  std::jthread janitor_;
};

}  // namespace bvhmill::server
