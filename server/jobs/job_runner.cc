#include "server/jobs/job_runner.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/jobs/wall_clock.h"
#include "server/rpc/catch_as_status.h"

namespace bvhmill::server {
namespace {

constexpr char kWhere[] = "a job";
constexpr std::chrono::milliseconds kTick(200);
constexpr std::chrono::seconds kLook(1);
constexpr int kBeatsPerLease = 6;
constexpr std::chrono::seconds kFirstPause(1);
constexpr std::chrono::seconds kLongestPause(30);
// Memory that an item is counted for before its conversion draws more.
constexpr int64_t kItemBytes = int64_t{64} << 10;
// The peer of all items: they share the limits of one connection.
constexpr char kPeer[] = "jobs";

// Work that is claimed ahead: more than a claim takes, and little, so that
// callers take turns. In items, within these bounds.
constexpr std::chrono::milliseconds kClaimAhead(100);
constexpr int kMinClaimed = 16;
constexpr int kMaxClaimed = 256;
constexpr double kAveraged = 20;
// Items that are claimed and not stored.
constexpr int kMaxRunning = 768;

}  // namespace

JobRunner::JobRunner(const Parts& parts, DataFolder* folder,
                     std::function<void(const std::vector<int64_t>&)> on_over)
    : parts_(parts),
      folder_(*folder),
      storer_(parts.log, &parts.metrics, folder, HooksFor(std::move(on_over))),
      claims_([this](const std::stop_token& stop) { RunClaims(stop); }) {}

ItemStorer::Hooks JobRunner::HooksFor(
    std::function<void(const std::vector<int64_t>&)> on_over) {
  ItemStorer::Hooks hooks;
  hooks.on_over = std::move(on_over);
  hooks.on_stored = [this] {
    const std::lock_guard lock(mutex_);
    pause_ = {};
  };
  hooks.on_fault = [this](const absl::Status& why) { Pause(why); };
  hooks.on_end = [this](const std::vector<WorkPtr>& works) { Ended(works); };
  return hooks;
}

JobRunner::~JobRunner() {
  claims_.request_stop();
  claims_.join();
  std::unique_lock lock(mutex_);
  for (const WorkPtr& work : running_) work->cancel().Cancel();
  // Items that were not begun are given back at once.
  for (const WorkPtr& work : ready_) {
    work->end().fault = absl::CancelledError("");
    work->end().counts = false;
    storer_.Put(work);
  }
  ready_.clear();
  ended_.wait(lock, [this] { return running_.empty(); });
}

void JobRunner::Wake() {
  const std::lock_guard lock(mutex_);
  may_have_items_ = true;
  wake_.notify_all();
}

void JobRunner::Cancel(int64_t job) {
  const std::lock_guard lock(mutex_);
  for (const WorkPtr& work : running_) {
    if (work->item().lease.job == job) work->cancel().Cancel();
  }
}

void JobRunner::Drain() { is_draining_ = true; }

// As many items as all workers do in kClaimAhead. With the mutex.
int JobRunner::MaxClaimed() const {
  const std::chrono::duration<double> ahead = kClaimAhead;
  const double items = ahead.count() * parts_.queue.threads() / item_seconds_;
  return static_cast<int>(std::clamp<double>(items, kMinClaimed, kMaxClaimed));
}

int JobRunner::Room() const {
  const int claimed = static_cast<int>(ready_.size()) + active_;
  return std::min(MaxClaimed() - claimed,
                  kMaxRunning - static_cast<int>(running_.size()));
}

// Claims when there is room for a good part of what may run, so that one
// transaction claims many items.
void JobRunner::RunClaims(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto is_due = [this] {
      return may_have_items_ && !is_draining_ && !is_paused_ &&
             Room() >= MaxClaimed() / 4;
    };
    wake_.wait_for(lock, stop, kTick, is_due);
    if (stop.stop_requested()) break;
    const auto now = Clock::now();
    if (is_paused_ && now >= paused_until_) is_paused_ = false;
    const bool claims = is_due();
    lock.unlock();
    CatchAndLog(parts_.log, kWhere, [&] { Beat(now); });
    bool has_more = false;
    if (claims) {
      CatchAndLog(parts_.log, kWhere, [&] { has_more = ClaimSome(); });
    }
    lock.lock();
    if (claims && !has_more) may_have_items_ = false;
  }
}

// Items may wait for the end of their backoff, so each beat looks again.
void JobRunner::Beat(Clock::time_point now) {
  if (now < next_beat_) return;
  next_beat_ = now + kLook;
  {
    const std::lock_guard lock(mutex_);
    may_have_items_ = true;
  }
  // A server without items ends the leases of others that are gone.
  if (now < next_renewal_) return;
  next_renewal_ = now + std::chrono::milliseconds(LeaseMs() / kBeatsPerLease);
  const int64_t time = WallClockMs();
  const absl::Status beat = folder_.jobs().Heartbeat(time, time + LeaseMs());
  const std::string why(MessageOf(beat));
  if (!beat.ok()) parts_.log.Event("jobs", "jobs: " + why);
}

// Suspects first, each alone. True if there may be more.
bool JobRunner::ClaimSome() {
  bool is_idle = false;
  int room = 0;
  {
    const std::lock_guard lock(mutex_);
    is_idle = running_.empty();
    room = Room();
  }
  if (has_suspects_) {
    if (!is_idle) return true;
    has_suspects_ = Claim(1, /*suspects=*/true);
    if (has_suspects_) return true;
  }
  if (Claim(room, /*suspects=*/false)) return true;
  // Those whose backoff is over.
  return is_idle && Claim(1, /*suspects=*/true);
}

bool JobRunner::Claim(int limit, bool suspects) {
  const int64_t time = WallClockMs();
  std::vector<ClaimedItem> items;
  const absl::Status status =
      folder_.jobs().Claim({.limit = limit,
                            .now_ms = time,
                            .until_ms = time + LeaseMs(),
                            .suspects = suspects},
                           &items);
  if (!status.ok()) {
    Pause(status);
    return false;
  }
  for (ClaimedItem& item : items) Start(std::move(item));
  Fill();
  return !items.empty();
}

void JobRunner::Start(ClaimedItem item) {
  const auto work = std::make_shared<ItemWork>(parts_.config, &folder_.blobs(),
                                               std::move(item));
  std::string why;
  const bool is_used_up =
      IsUsedUp(work->item(), parts_.config.jobs.max_item_tries, &why);
  if (is_used_up) work->end().result = SetAside(work->item(), why);
  {
    const std::lock_guard lock(mutex_);
    running_.push_back(work);
    if (!is_used_up) return ready_.push_back(work);
  }
  storer_.Put(work);
}

// Hands items to the workers, as long as few enough are with them: an item that
// was begun holds memory.
void JobRunner::Fill() {
  while (true) {
    WorkPtr work;
    {
      const std::lock_guard lock(mutex_);
      if (ready_.empty() || active_ >= MaxActive(Clock::now())) return;
      work = std::move(ready_.front());
      ready_.pop_front();
      ++active_;
    }
    Caller caller;
    caller.name = work->item().caller;
    const absl::Status admitted =
        parts_.admission.TryEnter(caller, kPeer, kItemBytes, &work->ticket());
    if (admitted.ok()) {
      Queue(work);
      continue;
    }
    work->end().fault = admitted;
    work->end().counts = false;
    Done(work);
  }
}

// Callers take turns at the workers by the names of their jobs.
void JobRunner::Queue(const WorkPtr& work) {
  bool is_queued = false;
  CatchAndLog(parts_.log, kWhere, [&] {
    is_queued = parts_.queue.Enqueue(
        "jobs of " + work->item().caller, [this, work] { Run(work); },
        Priority::kBackground);
  });
  if (is_queued) return;
  work->end().fault = OutOfMemory();
  work->end().counts = false;
  Done(work);
}

void JobRunner::Run(const WorkPtr& work) {
  const auto start = Clock::now();
  bool is_done = true;
  const absl::Status status = CatchAsStatus(parts_.log, kWhere, [&] {
    is_done = work->Turn();
    return absl::OkStatus();
  });
  if (!status.ok()) {
    work->end().result.reset();
    work->end().fault = status;
  }
  work->AddTime(Clock::now() - start);
  if (!is_done) return Queue(work);
  {
    const std::lock_guard lock(mutex_);
    --active_;
    item_seconds_ += (work->seconds() - item_seconds_) / kAveraged;
  }
  // Before the item is done: after it, the runner may end.
  CatchAndLog(parts_.log, kWhere, [this] { Fill(); });
  storer_.Put(work);
}

void JobRunner::Done(const WorkPtr& work) {
  {
    const std::lock_guard lock(mutex_);
    --active_;
  }
  storer_.Put(work);
}

void JobRunner::Ended(const std::vector<WorkPtr>& works) {
  const std::lock_guard lock(mutex_);
  for (const WorkPtr& work : works) running_.remove(work);
  wake_.notify_all();
  ended_.notify_all();
}

// Claims nothing for a while, which doubles until something is stored.
void JobRunner::Pause(const absl::Status& why) {
  {
    const std::lock_guard lock(mutex_);
    if (is_paused_) return;
    pause_ =
        std::clamp<Clock::duration>(2 * pause_, kFirstPause, kLongestPause);
    paused_until_ = Clock::now() + pause_;
    is_paused_ = true;
  }
  parts_.log.Event("jobs", "jobs pause: " + std::string(MessageOf(why)));
}

}  // namespace bvhmill::server
