#include "server/jobs/jobs.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/rpc/catch_as_status.h"
#include "server/store/data_folder.h"
#include "server/store/file_ops.h"
#include "server/store/postgres/open_postgres.h"

namespace bvhmill::server {
namespace {

constexpr char kJobsWhere[] = "the jobs";
constexpr std::chrono::milliseconds kJobsTick(100);
constexpr std::chrono::seconds kExpireEvery(10);
constexpr std::chrono::seconds kOpenEvery(2);
constexpr std::chrono::seconds kLookAtDiskEvery(1);
// The time that the page of metrics waits for the database.
constexpr std::chrono::seconds kMostForStats(2);
// A time before which no job has ended: only deleted data are removed then.
constexpr int64_t kNoTimeMs = 2;
// Blobs are collected eight times per blob_retention_seconds, within these
// bounds of the interval.
constexpr int64_t kCollectsPerLife = 8;
constexpr int64_t kMinCollectSeconds = 1;
constexpr int64_t kMaxCollectSeconds = 3600;

absl::Status JobsOff() {
  return MakeCallError({.code = absl::StatusCode::kUnimplemented,
                        .reason = "JOBS_OFF",
                        .message = "this server keeps no jobs: it has no data "
                                   "folder"});
}

absl::Status NotAnsweredYet() {
  return MakeCallError({.code = absl::StatusCode::kUnavailable,
                        .reason = "DATABASE_UNAVAILABLE",
                        .message = "its database has not answered yet"});
}

// The bytes of the disk of `folder` that a user may use; empty if there is no
// such folder.
std::optional<int64_t> FreeDiskBytes(const std::string& folder) {
  struct statvfs disk = {};
  if (folder.empty() || statvfs(folder.c_str(), &disk) != 0) {
    return std::nullopt;
  }
  return static_cast<int64_t>(disk.f_bavail) *
         static_cast<int64_t>(disk.f_frsize);
}

// False if `stop` was requested.
bool Sleep(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  return !stopped.wait_for(lock, stop, time,
                           [&] { return stop.stop_requested(); });
}

}  // namespace

// The error of calls while the folder is not open. It does not name the address
// of a database. A shared database or store of blobs that does not answer has a
// reason of its own, since clients retry then.
absl::Status Jobs::DataUnusable(const absl::Status& why) const {
  CallError error = {.code = absl::StatusCode::kUnavailable,
                     .reason = "DATA_UNUSABLE",
                     .args = {{"retry_after_ms", "1000"}},
                     .message = "the server cannot use its data folder: " +
                                std::string(MessageOf(why))};
  if (IsDiskFull(why)) {
    error.code = absl::StatusCode::kResourceExhausted;
    error.reason = "DISK_FULL";
  } else if (IsShared()) {
    error.message = "the server cannot use its jobs now; its log says why";
    const std::string reason = CallErrorOf(why).reason;
    if (absl::IsUnavailable(why) && !reason.empty()) error.reason = reason;
  }
  return MakeCallError(std::move(error));
}

Jobs::Jobs(const JobRunner::Parts& parts)
    : parts_(parts),
      closed_(NotAnsweredYet()),
      deadlines_([this](const std::stop_token& stop) { RunDeadlines(stop); }),
      janitor_([this](const std::stop_token& stop) { RunJanitor(stop); }),
      stats_thread_([this](const std::stop_token& stop) { RunStats(stop); }) {}

Jobs::~Jobs() {
  Drain();
  deadlines_.request_stop();
  janitor_.request_stop();
  stats_thread_.request_stop();
  std::unique_ptr<JobRunner> runner;
  {
    const std::lock_guard lock(open_mutex_);
    runner = std::move(opened_.runner);
  }
  // Releases the leases first: the janitor may remove data for minutes.
  runner = nullptr;
  deadlines_.join();
  janitor_.join();
  stats_thread_.join();
  // The janitor may have opened the folder meanwhile.
  Opened opened;
  {
    const std::lock_guard lock(open_mutex_);
    opened = std::move(opened_);
  }
  opened.runner = nullptr;
}

absl::Status Jobs::Start() {
  const ServerConfig& config = parts_.config;
  if (!IsShared() && !HasData(config.data_dir) && !HasBlobs(config.data_dir)) {
    return absl::OkStatus();
  }
  const absl::Status opened = OpenOnce(/*waits=*/true);
  // These faults may end later: the janitor tries again.
  tries_again_ =
      IsDiskFull(opened) || (IsShared() && absl::IsUnavailable(opened));
  if (opened.ok() || tries_again_) return absl::OkStatus();
  if (config.data_dir_is_default && !IsIncomplete(opened)) {
    return absl::OkStatus();
  }
  // The errors of a store of blobs name its address.
  const std::string where =
      config.s3.address.empty() ? config.data_dir + ": " : "";
  return MakeStatus(opened.code(), where + std::string(MessageOf(opened)));
}

absl::Status Jobs::OpenFolder(std::unique_ptr<DataFolder>* folder) const {
  const ServerConfig& config = parts_.config;
  const BlobQuota quota = {config.jobs.max_data_bytes,
                           config.jobs.min_free_disk_bytes};
  if (!IsShared()) return DataFolder::Open(config.data_dir, quota, folder);
  if (config.s3.address.empty()) {
    return DataFolder::OpenShared(config.data_dir, config.jobs_database, quota,
                                  folder);
  }
  S3Options s3 = config.s3;
  const int64_t life = Seconds(config.jobs.blob_retention_seconds).count();
  // If blobs never expire, no object needs to be marked as used.
  s3.touch_after_ms =
      life > 0 ? 1000 * life / kCollectsPerLife : int64_t{1} << 50;
  return DataFolder::OpenWithS3(config.data_dir, config.jobs_database, s3,
                                quota, folder);
}

// Only one thread waits for a database that does not answer; the others return
// the error of the last try.
absl::Status Jobs::OpenOnce(bool waits) {
  std::unique_lock opening(opening_mutex_, std::defer_lock);
  if (waits || !IsShared()) opening.lock();
  const bool may_open = opening.owns_lock() || opening.try_lock();
  {
    const std::lock_guard lock(open_mutex_);
    if (opened_.folder != nullptr) return absl::OkStatus();
    if (!may_open ||
        ((IsShared() || tries_again_) && Clock::now() < next_open_)) {
      return closed_;
    }
  }
  Opened opened;
  const absl::Status status = OpenFolder(&opened.folder);
  const ServerConfig& config = parts_.config;
  if (!status.ok()) {
    const std::string why(MessageOf(status));
    const std::string what = config.s3.address.empty()
                                 ? "the data folder " + config.data_dir
                                 : "the jobs of several servers";
    parts_.log.Event("data folder", "cannot use " + what + ": " + why);
    const std::lock_guard lock(open_mutex_);
    closed_ = status;
    next_open_ = Clock::now() + kOpenEvery;
    return status;
  }
  const std::string blobs =
      config.s3.address.empty() ? config.data_dir : config.s3.address;
  parts_.log.Event(
      "jobs are kept in " + blobs +
      (IsShared() ? " and " + WithoutPassword(config.jobs_database) : ""));
  opened.runner = std::make_unique<JobRunner>(
      parts_, opened.folder.get(),
      [this](const std::vector<int64_t>& jobs) { OnOver(jobs); });
  DataFolder* const folder = opened.folder.get();
  {
    const std::lock_guard lock(open_mutex_);
    opened_ = std::move(opened);
  }
  DrainRunner();
  folder->jobs().Listen([this](const JobNews& news) { OnNews(news); });
  return absl::OkStatus();
}

absl::Status Jobs::Open(DataFolder** folder) {
  if (parts_.config.data_dir.empty()) return JobsOff();
  const absl::Status status = OpenOnce(/*waits=*/false);
  if (!status.ok()) return DataUnusable(status);
  const std::lock_guard lock(open_mutex_);
  *folder = opened_.folder.get();
  return absl::OkStatus();
}

void Jobs::OnNews(const JobNews& news) {
  switch (news.kind) {
    case JobNews::Kind::kItems:
      return Wake();
    case JobNews::Kind::kOver:
      return OnOver({news.job});
    case JobNews::Kind::kCancelled:
      return Cancel(news.job, /*is_over=*/false);
    case JobNews::Kind::kMissed:
      Wake();
      // Calls that wait read their jobs again and answer.
      return Fire([](const Waiter& /*waiter*/) { return true; });
  }
}

JobRunner* Jobs::runner() {
  const std::lock_guard lock(open_mutex_);
  return opened_.runner.get();
}

void Jobs::Wake() {
  if (JobRunner* const runner = this->runner()) runner->Wake();
}

void Jobs::Cancel(int64_t number, bool is_over) {
  if (JobRunner* const runner = this->runner()) runner->Cancel(number);
  if (is_over) OnOver({number});
}

absl::Status Jobs::WhyItWaits(const JobInfo& job) {
  JobRunner* const runner = this->runner();
  return runner == nullptr ? absl::OkStatus() : runner->WhyItWaits(job);
}

void Jobs::Drain() {
  {
    const std::lock_guard lock(watch_mutex_);
    is_draining_ = true;
  }
  DrainRunner();
  Fire([](const Waiter& /*waiter*/) { return true; });
}

// Also drains a runner that is made after Drain.
void Jobs::DrainRunner() {
  {
    const std::lock_guard lock(watch_mutex_);
    if (!is_draining_) return;
  }
  if (JobRunner* const runner = this->runner()) runner->Drain();
}

int64_t Jobs::Watch(int64_t number, Clock::time_point deadline,
                    std::function<void()> done) {
  const std::lock_guard lock(watch_mutex_);
  const int64_t id = next_id_++;
  if (is_draining_) deadline = Clock::time_point::min();
  waiters_[id] = {number, deadline, std::move(done)};
  return id;
}

void Jobs::Unwatch(int64_t id) {
  const std::lock_guard lock(watch_mutex_);
  waiters_.erase(id);
}

void Jobs::OnOver(const std::vector<int64_t>& jobs) {
  Fire([&](const Waiter& waiter) {
    return std::find(jobs.begin(), jobs.end(), waiter.job) != jobs.end();
  });
}

// Removes the watches that are due and calls them, without the mutex.
template <typename IsDue>
void Jobs::Fire(const IsDue& is_due) {
  std::vector<std::function<void()>> due;
  {
    const std::lock_guard lock(watch_mutex_);
    for (auto waiter = waiters_.begin(); waiter != waiters_.end();) {
      if (!is_due(waiter->second)) {
        ++waiter;
        continue;
      }
      due.push_back(std::move(waiter->second.done));
      waiter = waiters_.erase(waiter);
    }
  }
  for (const auto& done : due) done();
}

void Jobs::RunDeadlines(const std::stop_token& stop) {
  while (Sleep(kJobsTick, stop)) {
    const auto now = Clock::now();
    CatchAndLog(parts_.log, kJobsWhere, [&] {
      Fire([&](const Waiter& waiter) { return waiter.deadline <= now; });
    });
  }
}

void Jobs::RunJanitor(const std::stop_token& stop) {
  while (Sleep(kJobsTick, stop)) {
    const auto now = Clock::now();
    DataFolder* folder = nullptr;
    {
      const std::lock_guard opened(open_mutex_);
      folder = opened_.folder.get();
    }
    // Opens shared data once the database answers, and data on a full disk once
    // it has room.
    if (folder == nullptr && (IsShared() || tries_again_)) {
      CatchAndLog(parts_.log, kJobsWhere,
                  [this] { static_cast<void>(OpenOnce(/*waits=*/false)); });
    }
    if (folder == nullptr) continue;
    CatchAndLog(parts_.log, kJobsWhere, [&] { LookAtDisk(folder, now); });
    CatchAndLog(parts_.log, kJobsWhere, [&] { CleanUp(folder, now, stop); });
  }
}

// Logs when uploads begin to be refused for want of room, and when that ends.
void Jobs::LookAtDisk(DataFolder* folder, Clock::time_point now) {
  if (now < next_look_) return;
  next_look_ = now + kLookAtDiskEvery;
  const absl::Status room =
      folder->blobs().CheckRoom(SpaceOf(""), /*max_space_bytes=*/0);
  if (room.ok() != room_.ok()) {
    parts_.log.Event("disk", room.ok() ? "uploads have room again"
                                       : "uploads and new jobs are refused: " +
                                             std::string(MessageOf(room)));
  }
  room_ = room;
}

void Jobs::CleanUp(DataFolder* folder, Clock::time_point now,
                   const std::stop_token& stop) {
  const JobLimits& limits = parts_.config.jobs;
  const int64_t time = WallClockMs();
  const bool was_well = expired_.ok() && collected_.ok();
  int64_t count = 0;
  absl::Status status;
  if (now >= next_expire_) {
    next_expire_ = now + kExpireEvery;
    folder->KeepReserve();
    const int64_t kept = Seconds(limits.job_retention_seconds).count();
    const int64_t before = kept > 0 ? time - 1000 * kept : kNoTimeMs;
    // Each call deletes some jobs only. The loop ends in time for other work.
    do {
      expired_ = folder->WithReserve(
          [&] { return folder->jobs().Expire(before, &count); });
    } while (expired_.ok() && count > 0 && Clock::now() < next_expire_ &&
             !stop.stop_requested());
    status = expired_;
  }
  const int64_t life = Seconds(limits.blob_retention_seconds).count();
  // Collects even if rows could not be removed: it frees room on a full disk.
  // Servers that share blobs collect always, since it also counts their bytes.
  if (now >= next_collect_ && (life > 0 || IsShared())) {
    const int64_t pause =
        life > 0 ? std::clamp(life / kCollectsPerLife, kMinCollectSeconds,
                              kMaxCollectSeconds)
                 : kMaxCollectSeconds;
    next_collect_ = now + std::chrono::seconds(pause);
    collected_ = folder->Collect(life > 0 ? time - 1000 * life : kNoTimeMs,
                                 &count, stop);
    status.Update(collected_);
  }
  if (!status.ok()) {
    parts_.log.Event("clean up", "cannot remove old data: " +
                                     std::string(MessageOf(status)));
  } else if (!was_well && expired_.ok() && collected_.ok()) {
    parts_.log.Event("clean up", "old data are removed again");
  }
}

JobGauges Jobs::Now() {
  JobGauges gauges;
  gauges.free_disk_bytes = FreeDiskBytes(parts_.config.data_dir);
  DataFolder* folder = nullptr;
  {
    const std::lock_guard lock(open_mutex_);
    folder = opened_.folder.get();
    if (opened_.runner != nullptr) {
      gauges.is_paused = opened_.runner->is_paused();
      gauges.blocked_callers = opened_.runner->blocked_callers();
    }
    // A folder that could not be opened, or a database that has not answered.
    const bool has_failed = IsShared() || next_open_ > Clock::time_point();
    if (folder == nullptr && has_failed) gauges.database_up = false;
  }
  if (folder == nullptr) return gauges;
  ReadStats(&gauges);
  gauges.blob_bytes = folder->blobs().bytes();
  if (gauges.stats.oldest_ms > 0) {
    const int64_t age = WallClockMs() - gauges.stats.oldest_ms;
    gauges.oldest_seconds =
        1e-3 * static_cast<double>(std::max<int64_t>(age, 0));
  }
  return gauges;
}

// Has the thread ask the database, which may not answer for a long time.
void Jobs::ReadStats(JobGauges* gauges) {
  std::unique_lock lock(stats_mutex_);
  const int64_t wanted = ++asked_reads_;
  stats_asked_.notify_one();
  const bool is_read = stats_read_.wait_for(
      lock, kMostForStats, [&] { return ended_reads_ >= wanted; });
  gauges->stats = stats_;
  gauges->database_up = is_read && database_up_;
}

void Jobs::RunStats(const std::stop_token& stop) {
  std::unique_lock lock(stats_mutex_);
  while (stats_asked_.wait(lock, stop,
                           [this] { return asked_reads_ > ended_reads_; })) {
    const int64_t asked = asked_reads_;
    lock.unlock();
    JobStats stats;
    bool is_up = false;
    CatchAndLog(parts_.log, kJobsWhere, [&] { is_up = AskStats(&stats); });
    lock.lock();
    ended_reads_ = asked;
    database_up_ = is_up;
    if (is_up) stats_ = stats;
    stats_read_.notify_all();
  }
}

// False if the database does not answer.
bool Jobs::AskStats(JobStats* stats) {
  DataFolder* folder = nullptr;
  {
    const std::lock_guard lock(open_mutex_);
    folder = opened_.folder.get();
  }
  return folder != nullptr && folder->jobs().Stats(stats).ok();
}

}  // namespace bvhmill::server
