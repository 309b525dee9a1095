#include "server/jobs/jobs.h"

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
// A time before which no job has ended: only what was deleted is removed.
constexpr int64_t kNoTimeMs = 2;
// Blobs are collected eight times in the time that they are kept, within these
// bounds.
constexpr int64_t kCollectsPerLife = 8;
constexpr int64_t kMinCollectSeconds = 1;
constexpr int64_t kMaxCollectSeconds = 3600;

absl::Status JobsOff() {
  return MakeCallError({.code = absl::StatusCode::kUnimplemented,
                        .reason = "JOBS_OFF",
                        .message = "this server keeps no jobs: its --data-dir "
                                   "is none"});
}

absl::Status NotAnsweredYet() {
  return MakeCallError({.code = absl::StatusCode::kUnavailable,
                        .reason = "DATABASE_UNAVAILABLE",
                        .message = "its database has not answered yet"});
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

// Peers do not learn where the database is. If the database or the store of
// shared jobs does not answer, the jobs will be there later. That error has a
// reason of its own, since clients try again.
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
      janitor_([this](const std::stop_token& stop) { RunJanitor(stop); }) {}

Jobs::~Jobs() {
  Drain();
  deadlines_.request_stop();
  janitor_.request_stop();
  std::unique_ptr<JobRunner> runner;
  {
    const std::lock_guard lock(open_mutex_);
    runner = std::move(opened_.runner);
  }
  // Gives the leases back first: the janitor may remove data for minutes.
  runner = nullptr;
  deadlines_.join();
  janitor_.join();
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
  // It may be mended later: the janitor tries again.
  tries_again_ =
      IsDiskFull(opened) || (IsShared() && absl::IsUnavailable(opened));
  if (opened.ok() || tries_again_) return absl::OkStatus();
  if (config.data_dir_is_default && !IsIncomplete(opened)) {
    return absl::OkStatus();
  }
  // A store of blobs says itself where it is.
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
  // Without an end of life, no object needs to be marked as used.
  s3.touch_after_ms =
      life > 0 ? 1000 * life / kCollectsPerLife : int64_t{1} << 50;
  return DataFolder::OpenWithS3(config.data_dir, config.jobs_database, s3,
                                quota, folder);
}

// One thread waits for a database that does not answer; the others return the
// error of the last try.
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
      // Calls that wait look at their jobs.
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

absl::Status Jobs::WhyItWaits(int64_t number) {
  JobRunner* const runner = this->runner();
  return runner == nullptr ? absl::OkStatus() : runner->WhyItWaits(number);
}

void Jobs::Drain() {
  {
    const std::lock_guard lock(watch_mutex_);
    is_draining_ = true;
  }
  DrainRunner();
  Fire([](const Waiter& /*waiter*/) { return true; });
}

// Also called for a runner that comes after Drain.
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

// Calls those that are due, without the mutex.
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
    // Shared data are opened as soon as their database answers; those on a full
    // disk as soon as it has room.
    if (folder == nullptr && (IsShared() || tries_again_)) {
      CatchAndLog(parts_.log, kJobsWhere,
                  [this] { static_cast<void>(OpenOnce(/*waits=*/false)); });
    }
    if (folder == nullptr) continue;
    CatchAndLog(parts_.log, kJobsWhere, [&] { CleanUp(folder, now, stop); });
  }
}

void Jobs::CleanUp(DataFolder* folder, Clock::time_point now,
                   const std::stop_token& stop) {
  const JobLimits& limits = parts_.config.jobs;
  const int64_t time = WallClockMs();
  int64_t count = 0;
  absl::Status status;
  if (now >= next_expire_) {
    next_expire_ = now + kExpireEvery;
    folder->KeepReserve();
    const int64_t kept = Seconds(limits.job_retention_seconds).count();
    const int64_t before = kept > 0 ? time - 1000 * kept : kNoTimeMs;
    // Each call forgets some jobs only. The other work must come, too.
    do {
      status = folder->WithReserve(
          [&] { return folder->jobs().Expire(before, &count); });
    } while (status.ok() && count > 0 && Clock::now() < next_expire_ &&
             !stop.stop_requested());
  }
  const int64_t life = Seconds(limits.blob_retention_seconds).count();
  // Servers that share blobs also learn by it how many bytes there are.
  // Also if rows cannot be removed: a disk that is full gets room by it.
  if (now >= next_collect_ && (life > 0 || IsShared())) {
    const int64_t pause =
        life > 0 ? std::clamp(life / kCollectsPerLife, kMinCollectSeconds,
                              kMaxCollectSeconds)
                 : kMaxCollectSeconds;
    next_collect_ = now + std::chrono::seconds(pause);
    status.Update(folder->Collect(life > 0 ? time - 1000 * life : kNoTimeMs,
                                  &count, stop));
  }
  if (!status.ok()) {
    parts_.log.Event("clean up", "cannot remove old data: " +
                                     std::string(MessageOf(status)));
  }
}

JobGauges Jobs::Now() {
  JobGauges gauges;
  DataFolder* folder = nullptr;
  {
    const std::lock_guard lock(open_mutex_);
    folder = opened_.folder.get();
    if (opened_.runner != nullptr) {
      gauges.is_paused = opened_.runner->is_paused();
      gauges.blocked_callers = opened_.runner->blocked_callers();
    }
  }
  if (folder == nullptr) return gauges;
  // Without the mutex: a database may take its time.
  static_cast<void>(folder->jobs().Stats(&gauges.stats));
  gauges.blob_bytes = folder->blobs().bytes();
  if (gauges.stats.oldest_ms > 0) {
    const int64_t age = WallClockMs() - gauges.stats.oldest_ms;
    gauges.oldest_seconds =
        1e-3 * static_cast<double>(std::max<int64_t>(age, 0));
  }
  return gauges;
}

}  // namespace bvhmill::server
