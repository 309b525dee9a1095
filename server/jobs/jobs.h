#pragma once

// Jobs, the durable jobs of a server. It opens the data folder when it is
// needed, runs the items by a JobRunner, tells waiting calls when a job is
// over, and removes expired jobs and blobs.
//
//   Jobs jobs(parts);
//   absl::Status status = jobs.Start();
//   DataFolder* folder = nullptr;
//   if (status.ok()) status = jobs.Open(&folder);
//   if (status.ok()) status = MakeJob(..., folder, &info, &is_new);
//   if (is_new) jobs.Wake();
//   int64_t id = jobs.Watch(info.number, deadline, [] { ... });
//
// Three threads: one ends watches at their deadlines; the janitor removes what
// has expired and opens data that could not be opened before; one reads the
// numbers of the database for the page of metrics.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "server/jobs/job_runner.h"
#include "server/store/data_folder.h"

namespace bvhmill::server {

// The state of the jobs, for the page of metrics. The numbers are 0 if no
// folder is open.
struct JobGauges {
  // As the database has answered last.
  JobStats stats;
  // True if the database has answered now; empty if no database was opened yet.
  std::optional<bool> database_up;
  // Free bytes of the disk of the data folder; empty if there is no folder.
  std::optional<int64_t> free_disk_bytes;
  // The age of the oldest job that is not over.
  double oldest_seconds = 0;
  int64_t blob_bytes = 0;
  bool is_paused = false;
  // See JobRunner::blocked_callers.
  int64_t blocked_callers = 0;
};

// See the top of the file. Thread-safe.
class Jobs {
 public:
  // All parts must outlive the jobs.
  explicit Jobs(const JobRunner::Parts& parts);
  // Ends all watches. Cancels the items that workers have and releases their
  // leases: the items wait again.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Resumes the jobs of an earlier run, if there is a data folder, or those of
  // servers that share a database. Fails if the data cannot be used, except:
  // * The operator has not named the folder, and no part of it is lost: calls
  //   about jobs fail, and the log has the reason.
  // * The disk is full, or a shared database or store of blobs does not answer:
  //   the janitor tries again.
  absl::Status Start();

  // Sets `folder`, and opens or makes the folder on the first call. This object
  // owns it. UNIMPLEMENTED, JOBS_OFF: the server keeps no jobs. UNAVAILABLE:
  // DATABASE_UNAVAILABLE or BLOBS_UNAVAILABLE if the shared database or store
  // of blobs does not answer yet; DATA_UNUSABLE if the folder cannot be used.
  // RESOURCE_EXHAUSTED, DISK_FULL if the disk has no room to open it.
  absl::Status Open(DataFolder** folder);

  // Call it after items were added.
  void Wake();
  // Call it after the job with this number was cancelled. `is_over`: the job
  // ended by that, since no worker had an item of it.
  void Cancel(int64_t number, bool is_over);
  // See JobRunner::WhyItWaits.
  absl::Status WhyItWaits(const JobInfo& job);
  // Claims no items from now on; workers still finish claimed ones. Ends all
  // watches, also later ones.
  void Drain();

  // Calls `done` once: when the job ends, at `deadline`, when the server
  // drains, or when news of the database may have been lost. Any thread may
  // call it, also before this returns. A job that is over already does not end
  // again: read the job after this. Returns an id for Unwatch.
  int64_t Watch(int64_t number, std::chrono::steady_clock::time_point deadline,
                std::function<void()> done);
  // Ends a watch without a call. If another thread has found it due before,
  // `done` may still be called after this returns.
  void Unwatch(int64_t id);

  // The state now. Waits for the database for two seconds at most.
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

  // Opens the folder if it is not open. While another thread opens shared data:
  // waits for its result if `waits`, else returns that of the last try.
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
  void RunStats(const std::stop_token& stop);
  void ReadStats(JobGauges* gauges);
  bool AskStats(JobStats* stats);
  void LookAtDisk(DataFolder* folder, Clock::time_point now);
  void CleanUp(DataFolder* folder, Clock::time_point now,
               const std::stop_token& stop);

  const JobRunner::Parts parts_;
  // Locked while the folder is opened, which may take seconds. Locked before
  // open_mutex_.
  std::mutex opening_mutex_;
  // Guards opened_, closed_ and next_open_. Locked for moments only.
  std::mutex open_mutex_;
  Opened opened_;
  // The error of the last try to open the folder, and the time of the next try:
  // otherwise each call would query a database that does not answer.
  absl::Status closed_;
  Clock::time_point next_open_;
  std::atomic<bool> tries_again_{false};

  // Guards the watches and is_draining_.
  std::mutex watch_mutex_;
  std::map<int64_t, Waiter> waiters_;
  int64_t next_id_ = 1;
  bool is_draining_ = false;

  // Used by the janitor only.
  Clock::time_point next_expire_;
  Clock::time_point next_collect_;
  Clock::time_point next_look_;
  // Statuses of the last look at the disk, and of the last removals of jobs and
  // of blobs.
  absl::Status room_;
  absl::Status expired_;
  absl::Status collected_;

  // Guards the numbers of the database: the number of reads that were asked
  // for and that have ended, and the result of the last one.
  std::mutex stats_mutex_;
  std::condition_variable_any stats_asked_;
  std::condition_variable stats_read_;
  int64_t asked_reads_ = 0;
  int64_t ended_reads_ = 0;
  JobStats stats_;
  bool database_up_ = false;

  // The last members: their threads use the others. So watches end in time
  // while old data are removed, and the page of metrics is made while a
  // database does not answer.
  std::jthread deadlines_;
  std::jthread janitor_;
  std::jthread stats_thread_;
};

// Milliseconds since 1970.
inline int64_t WallClockMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace bvhmill::server
