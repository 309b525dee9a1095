#include "server/jobs/job_runner.h"

#include <algorithm>
#include <thread>
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
// Items of one caller share the limits of one connection.
constexpr char kPeer[] = "jobs of ";
// Jobs that are known to be cancelled, of which an item may be claimed at the
// same time.
constexpr size_t kMaxCancelled = 1024;

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
  for (auto& [caller, works] : held_) {
    ready_.insert(ready_.end(), works.begin(), works.end());
  }
  held_.clear();
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
  cancelled_.push_back(job);
  if (cancelled_.size() > kMaxCancelled) cancelled_.pop_front();
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
    ++looks_;
    const auto now = Clock::now();
    if (is_paused_ && now >= paused_until_) is_paused_ = false;
    const bool claims = is_due();
    // Before it is looked: what comes meanwhile is not overlooked.
    if (claims) may_have_items_ = false;
    lock.unlock();
    CatchAndLog(parts_.log, kWhere, [&] { Beat(now); });
    // Calls of the caller of an item may have ended.
    CatchAndLog(parts_.log, kWhere, [this] { Fill(); });
    bool has_more = false;
    if (claims) {
      CatchAndLog(parts_.log, kWhere, [&] { has_more = ClaimSome(); });
    }
    lock.lock();
    if (has_more) may_have_items_ = true;
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
  // While other items never run out, suspects still get their turn.
  const int64_t time = WallClockMs();
  if (!has_suspects_) {
    const absl::Status found =
        folder_.jobs().FindSuspects(time, &has_suspects_);
    if (!found.ok()) has_suspects_ = false;
  }
  // A server without items ends the leases of others that are gone.
  if (now < next_renewal_) return;
  next_renewal_ = now + std::chrono::milliseconds(LeaseMs() / kBeatsPerLease);
  const absl::Status beat = folder_.jobs().Heartbeat(time, time + LeaseMs());
  const std::string why(MessageOf(beat));
  if (!beat.ok()) parts_.log.Event("jobs", "jobs: " + why);
}

// Suspects first, each alone: until all other items have ended, none is
// claimed. True if there may be more.
bool JobRunner::ClaimSome() {
  bool is_idle = false;
  int room = 0;
  {
    const std::lock_guard lock(mutex_);
    is_idle = running_.empty();
    room = Room();
  }
  if (has_suspects_) {
    // The end of the last item wakes this thread.
    if (!is_idle) return false;
    has_suspects_ = Claim(1, /*suspects=*/true);
    if (has_suspects_) return true;
  }
  return Claim(room, /*suspects=*/false);
}

bool JobRunner::Claim(int limit, bool suspects) {
  const int64_t time = WallClockMs();
  ClaimRules rules = {.limit = limit,
                      .now_ms = time,
                      .until_ms = time + LeaseMs(),
                      .suspects = suspects};
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [caller, works] : held_) rules.without.insert(caller);
  }
  std::vector<ClaimedItem> items;
  const absl::Status status = folder_.jobs().Claim(rules, &items);
  if (!status.ok()) {
    Pause(status);
    return false;
  }
  const bool has_some = !items.empty();
  StartOrGiveBack(std::move(items));
  Fill();
  return has_some;
}

// The leases are stored: an item that cannot be started must not keep its own.
void JobRunner::StartOrGiveBack(std::vector<ClaimedItem> items) {
  for (ClaimedItem& item : items) {
    const Lease lease = item.lease;
    if (CatchAndLog(parts_.log, kWhere, [&] { Start(std::move(item)); })) {
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      const auto is_this = [&](const WorkPtr& work) {
        return work->item().lease == lease;
      };
      running_.remove_if(is_this);
      std::erase_if(ready_, is_this);
    }
    storer_.GiveBack({lease});
  }
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
    const int64_t job = work->item().lease.job;
    const bool is_cancelled = std::find(cancelled_.begin(), cancelled_.end(),
                                        job) != cancelled_.end();
    if (is_cancelled) work->cancel().Cancel();
    if (!is_used_up) return ready_.push_back(work);
  }
  storer_.Put(work);
}

// The first item that may be begun; null if there is none. With the mutex.
WorkPtr JobRunner::TakeReady() {
  while (!ready_.empty() && active_ < MaxActive(Clock::now())) {
    WorkPtr work = std::move(ready_.front());
    ready_.pop_front();
    const auto held = held_.find(work->item().caller);
    if (held == held_.end()) {
      ++active_;
      return work;
    }
    held->second.push_back(std::move(work));
  }
  return nullptr;
}

// Items of callers that had no room are the first ones again.
void JobRunner::TryHeld() {
  const std::lock_guard lock(mutex_);
  for (auto& [caller, works] : held_) {
    ready_.insert(ready_.begin(), works.begin(), works.end());
  }
  held_.clear();
}

// Hands items to the workers, as long as few enough are with them: an item that
// was begun holds memory.
void JobRunner::Fill() {
  TryHeld();
  while (true) {
    WorkPtr work;
    {
      const std::lock_guard lock(mutex_);
      work = TakeReady();
    }
    if (work == nullptr) return;
    if (Admit(work)) Queue(work);
  }
}

// Items are admitted as the clips of their caller are. An item that is refused
// since its caller has too much in flight waits for the end of some of that.
// An item of a cancelled job ends without room.
bool JobRunner::Admit(const WorkPtr& work) {
  if (work->cancel().IsCancelled()) {
    Refuse(work, absl::CancelledError(""));
    return false;
  }
  const std::string& name = work->item().caller;
  const absl::Status admitted = CatchAsStatus(parts_.log, kWhere, [&] {
    std::shared_ptr<const Caller> caller = parts_.tokens.FindName(name);
    Caller other;
    other.name = name;
    return parts_.admission.TryEnter(caller == nullptr ? other : *caller,
                                     kPeer + name, kItemBytes, &work->ticket());
  });
  if (admitted.ok()) return true;
  if (IsShortOfQuota(admitted)) {
    const std::lock_guard lock(mutex_);
    --active_;
    held_[name].push_back(work);
    return false;
  }
  Refuse(work, admitted);
  return false;
}

// Callers take turns at the workers by the names of their jobs.
void JobRunner::Queue(const WorkPtr& work) {
  bool is_queued = false;
  CatchAndLog(parts_.log, kWhere, [&] {
    is_queued = parts_.queue.Enqueue(
        "jobs of " + work->item().caller, [this, work] { Run(work); },
        Priority::kBackground);
  });
  if (!is_queued) Refuse(work, OutOfMemory());
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
  bool has_calls = false;
  {
    const std::lock_guard lock(mutex_);
    --active_;
    item_seconds_ += (work->seconds() - item_seconds_) / kAveraged;
    has_calls = Clock::now() < calls_until_;
  }
  // Before the item is done: after it, the runner may end.
  CatchAndLog(parts_.log, kWhere, [this] { Fill(); });
  storer_.Put(work);
  // Threads that read and answer calls may wait for a core. Without this, the
  // slowest of a hundred calls takes twice as long.
  if (has_calls) std::this_thread::yield();
}

// Ends an item that cannot go on here: it waits again, unless its job is
// cancelled. No try counts.
void JobRunner::Refuse(const WorkPtr& work, absl::Status why) {
  work->end().fault = std::move(why);
  work->end().counts = false;
  {
    const std::lock_guard lock(mutex_);
    --active_;
  }
  storer_.Put(work);
}

void JobRunner::Ended(const std::vector<WorkPtr>& works) {
  const std::lock_guard lock(mutex_);
  for (const WorkPtr& work : works) running_.remove(work);
  if (running_.empty()) may_have_items_ = true;
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
