#include "server/jobs/job_runner.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/jobs/jobs.h"
#include "server/jobs/new_job.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {

namespace {

constexpr char kWhere[] = "a job";
constexpr char kClaimsWhere[] = "the claims of jobs";

constexpr std::chrono::milliseconds kClaimsTick(200);
constexpr std::chrono::seconds kLook(1);
constexpr int kBeatsPerLease = 6;
// The worker time of the items that are claimed ahead. It is longer than a
// claim takes, and short, so that callers take turns.
constexpr std::chrono::milliseconds kClaimAhead(100);
// Bounds of the number of items that are claimed ahead.
constexpr int kMinClaimed = 16;
constexpr int kMaxClaimed = 256;
// The most items that are claimed and not stored.
constexpr int kMaxRunning = 768;
// The number of items over which the time of an item is averaged.
constexpr double kAveraged = 20;
// The most cancelled jobs that are remembered: an item of one may be claimed at
// the same time.
constexpr size_t kMaxCancelled = 1024;

// The time until an item of a caller without room is tried again.
constexpr std::chrono::milliseconds kItemsLater(200);
// The same for one that runs alone: all other items must end first.
constexpr std::chrono::seconds kAloneLater(10);
// The time after which a caller without room for outputs is forgotten. It is
// longer than the time until its items are tried again.
constexpr std::chrono::minutes kBlockedFor(1);
// Memory that an item is counted for before its conversion draws more.
constexpr int64_t kItemBytes = int64_t{64} << 10;
// The connection that an item counts for: items of one caller share the limits
// of one connection.
constexpr char kPeer[] = "jobs of ";

constexpr std::chrono::seconds kFirstPause(1);
constexpr std::chrono::seconds kLongestPause(30);

absl::Status CallerIsFull() {
  return MakeCallError(
      {.code = absl::StatusCode::kResourceExhausted,
       .reason = "CALLER_BUSY",
       .message = "other clips of the caller use all that it may have in "
                  "flight"});
}

absl::Status OthersRun(size_t items) {
  return MakeCallError(
      {.code = absl::StatusCode::kUnavailable,
       .reason = "JOBS_BUSY",
       .message = "the server works on " + std::to_string(items) +
                  " clips of other jobs; each job gets its turn"});
}

}  // namespace

bool ExpiringCallers::Has(Clock::time_point now,
                          const std::string& caller) const {
  const auto found = until_.find(caller);
  return found != until_.end() && found->second > now;
}

std::set<std::string> ExpiringCallers::At(Clock::time_point now) {
  std::erase_if(until_, [&](const auto& entry) { return entry.second <= now; });
  std::set<std::string> callers;
  for (const auto& [caller, until] : until_) callers.insert(caller);
  return callers;
}

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
    {
      const std::lock_guard lock(mutex_);
      pause_ = {};
    }
    GoOn();
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
  // Leases of items that were not begun are released at once.
  for (const WorkPtr& work : std::exchange(ready_, {})) {
    GiveBack(work, absl::CancelledError(""));
  }
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

int64_t JobRunner::blocked_callers() {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(blocked_.At(Clock::now()).size());
}

absl::Status JobRunner::WhyItWaits(const JobInfo& job) {
  const absl::Status why = storer_.WhyItWaits(job.number);
  if (!why.ok()) return why;
  const std::lock_guard lock(mutex_);
  if (is_paused_) return pause_why_;
  if (is_draining_) return Stopping();
  if (full_.contains(job.caller)) return CallerIsFull();
  const bool has_its_items =
      job.running > 0 ||
      std::any_of(running_.begin(), running_.end(), [&](const WorkPtr& work) {
        return work->item().lease.job == job.number;
      });
  return has_its_items || running_.empty() ? absl::OkStatus()
                                           : OthersRun(running_.size());
}

// Step 1: the claiming thread.

// Claims only when there is room for a quarter of MaxClaimed, so that one
// transaction claims many items.
void JobRunner::RunClaims(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto is_due = [this] {
      return may_have_items_ && !is_draining_ && !is_paused_ &&
             Room() >= MaxClaimed() / 4;
    };
    wake_.wait_for(lock, stop, kClaimsTick, is_due);
    if (stop.stop_requested()) break;
    ++looks_;
    const auto now = Clock::now();
    if (is_paused_ && now >= paused_until_) is_paused_ = false;
    const bool claims = is_due();
    // Reset before the claim: items that come meanwhile set it again.
    if (claims) may_have_items_ = false;
    lock.unlock();
    CatchAndLog(parts_.log, kClaimsWhere, [&] { Beat(now); });
    // Calls of the caller of an item may have ended.
    CatchAndLog(parts_.log, kClaimsWhere, [this] { Fill(); });
    CatchAndLog(parts_.log, kClaimsWhere, [this] { MakeRoom(); });
    bool has_more = false;
    if (claims) {
      CatchAndLog(parts_.log, kClaimsWhere, [&] { has_more = ClaimSome(); });
    }
    lock.lock();
    if (has_more) may_have_items_ = true;
  }
}

// Each beat looks for items again: the backoff of some may have ended.
void JobRunner::Beat(Clock::time_point now) {
  Renew(now);
  if (now < next_beat_) return;
  next_beat_ = now + kLook;
  {
    const std::lock_guard lock(mutex_);
    may_have_items_ = true;
  }
  // Items that run alone do so even if there are always others.
  if (!has_alone_) LookForAlone(WallClockMs());
}

// Renews the leases of this server. A server without items calls Heartbeat,
// too: it ends the expired leases of other servers.
void JobRunner::Renew(Clock::time_point now) {
  if (now < next_renewal_) return;
  next_renewal_ = now + std::chrono::milliseconds(LeaseMs() / kBeatsPerLease);
  const int64_t time = WallClockMs();
  const absl::Status beat = folder_.jobs().Heartbeat(time, time + LeaseMs());
  if (!beat.ok()) {
    const std::string why(MessageOf(beat));
    parts_.log.Event("jobs", "cannot renew the leases of jobs: " + why);
  } else if (!renewed_.ok()) {
    parts_.log.Event("jobs", "the leases of jobs are renewed again");
  }
  renewed_ = beat;
}

// The number of items that all workers convert in kClaimAhead, within bounds.
// With the mutex.
int JobRunner::MaxClaimed() const {
  const std::chrono::duration<double> ahead = kClaimAhead;
  const double items = ahead.count() * parts_.queue.threads() / item_seconds_;
  return static_cast<int>(std::clamp<double>(items, kMinClaimed, kMaxClaimed));
}

// True for a ready item whose caller has no room. With the mutex.
bool JobRunner::Waits(const WorkPtr& work) const {
  return full_.contains(work->item().caller) && !work->cancel().IsCancelled();
}

// The number of items that may be claimed now. With the mutex.
int JobRunner::Room() const {
  // Those that wait keep out no items of other callers.
  const auto ready =
      std::count_if(ready_.begin(), ready_.end(),
                    [this](const WorkPtr& work) { return !Waits(work); });
  return std::min(MaxClaimed() - active_ - static_cast<int>(ready),
                  kMaxRunning - static_cast<int>(running_.size()));
}

// Releases the leases of items that wait if they are so many that nothing can
// be claimed.
void JobRunner::MakeRoom() {
  std::vector<WorkPtr> waiting;
  {
    const std::lock_guard lock(mutex_);
    if (kMaxRunning - static_cast<int>(running_.size()) >= kMaxClaimed) return;
    std::copy_if(ready_.begin(), ready_.end(), std::back_inserter(waiting),
                 [this](const WorkPtr& work) { return Waits(work); });
    std::erase_if(ready_, [this](const WorkPtr& work) { return Waits(work); });
  }
  for (const WorkPtr& work : waiting) GiveBack(work, absl::CancelledError(""));
}

void JobRunner::LookForAlone(int64_t time_ms) {
  std::set<std::string> callers;
  if (!folder_.jobs().FindAlone(time_ms, &callers).ok()) return;
  const std::lock_guard lock(mutex_);
  const std::set<std::string> without = alone_later_.At(Clock::now());
  has_alone_ = std::any_of(
      callers.begin(), callers.end(),
      [&](const std::string& caller) { return !without.contains(caller); });
}

// Claims items that run alone first. True if there may be more items.
bool JobRunner::ClaimSome() {
  if (has_alone_) {
    const bool is_claimed = ClaimAlone();
    if (is_claimed || has_alone_) return is_claimed;
  }
  int room = 0;
  {
    const std::lock_guard lock(mutex_);
    room = Room();
  }
  return Claim(room, /*alone=*/false);
}

// Claims an item that runs alone once all others have ended. Leases of ready
// items are released first: some might wait for long, and if the item ended the
// server, they would count that end.
bool JobRunner::ClaimAlone() {
  std::deque<WorkPtr> ready;
  bool is_idle = false;
  {
    const std::lock_guard lock(mutex_);
    ready.swap(ready_);
    is_idle = running_.empty();
  }
  for (const WorkPtr& work : ready) GiveBack(work, absl::CancelledError(""));
  // The end of the last item wakes this thread.
  if (is_idle) has_alone_ = Claim(1, /*alone=*/true);
  return is_idle && has_alone_;
}

bool JobRunner::Claim(int limit, bool alone) {
  const int64_t time = WallClockMs();
  ClaimRules rules = {.limit = limit,
                      .now_ms = time,
                      .until_ms = time + LeaseMs(),
                      .alone = alone};
  {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (alone) rules.without = alone_later_.At(now);
    std::set<std::string> ready;
    for (const WorkPtr& work : ready_) ready.insert(work->item().caller);
    std::erase_if(full_, [&](const auto& entry) {
      return entry.second <= now && !ready.contains(entry.first);
    });
    for (const auto& [caller, until] : full_) rules.without.insert(caller);
  }
  std::vector<ClaimedItem> items;
  const absl::Status status = folder_.jobs().Claim(rules, &items);
  if (!status.ok()) {
    Pause(status);
    return false;
  }
  const bool has_some = !items.empty();
  if (!has_some) GoOn();
  StartOrGiveBack(std::move(items));
  Fill();
  return has_some;
}

// Starts items. The lease of an item that cannot be started for want of memory
// is released: it is stored already.
void JobRunner::StartOrGiveBack(std::vector<ClaimedItem> items) {
  for (ClaimedItem& item : items) {
    const Lease lease = item.lease;
    if (CatchAndLog(parts_.log, kClaimsWhere,
                    [&] { Start(std::move(item)); })) {
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
    while (!CatchAndLog(parts_.log, kClaimsWhere,
                        [&] { storer_.GiveBack({lease}); })) {
      std::this_thread::sleep_for(kClaimsTick);
    }
  }
}

// Makes an item ready for admission, or dead-letters it if its tries are used
// up.
void JobRunner::Start(ClaimedItem item) {
  const auto work = std::make_shared<ItemWork>(parts_.config, &folder_.blobs(),
                                               std::move(item));
  std::string why;
  const bool is_used_up =
      IsUsedUp(work->item(), parts_.config.jobs.max_item_tries, &why);
  if (is_used_up) SetAside(work->item(), why, &work->end());
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

// Step 2: admission.

// Admits items and hands them to the workers, up to MaxActive: an item that was
// begun uses memory.
void JobRunner::Fill() {
  while (true) {
    WorkPtr work;
    {
      const std::lock_guard lock(mutex_);
      work = TakeReady();
    }
    if (work == nullptr) return;
    if (AdmitOrRefuse(work)) Queue(work);
  }
}

// Removes and returns the first item that may be begun; null if there is none.
// With the mutex.
WorkPtr JobRunner::TakeReady() {
  const auto now = Clock::now();
  if (active_ >= MaxActive(now) || storer_.IsFull()) return nullptr;
  const auto found =
      std::find_if(ready_.begin(), ready_.end(), [&](const WorkPtr& work) {
        return !Waits(work) || full_.at(work->item().caller) <= now;
      });
  if (found == ready_.end()) return nullptr;
  WorkPtr work = *found;
  ready_.erase(found);
  ++active_;
  return work;
}

// As Admit, but also releases the lease of an item for which there is no
// memory.
bool JobRunner::AdmitOrRefuse(const WorkPtr& work) {
  bool is_admitted = false;
  const bool is_tried =
      CatchAndLog(parts_.log, kWhere, [&] { is_admitted = Admit(work); });
  if (!is_tried) Refuse(work, OutOfMemory());
  return is_admitted;
}

// Admits an item within the limits of its caller, as a clip of a call. If the
// caller has too much in flight, the item stays ready until some of that ends.
// If space for blobs is scarce and the caller uses more than its share, the
// item waits until blobs of the caller are removed. An item of a cancelled job
// ends without admission. False if the item was not admitted; its lease is then
// released, unless it stays ready.
bool JobRunner::Admit(const WorkPtr& work) {
  if (work->cancel().IsCancelled()) {
    Refuse(work, absl::CancelledError(""));
    return false;
  }
  const std::string& name = work->item().caller;
  const absl::Status admitted = CatchAsStatus(parts_.log, kWhere, [&] {
    Caller other;
    other.name = name;
    const std::shared_ptr<const Caller> found = parts_.tokens.FindName(name);
    const Caller& caller = found == nullptr ? other : *found;
    BVHMILL_RETURN_IF_ERROR(CheckRoomOf(caller));
    return parts_.admission.TryEnter(caller, kPeer + name, kItemBytes,
                                     &work->ticket());
  });
  if (admitted.ok()) return true;
  if (!IsShortOfQuota(admitted) || !KeepReady(work)) Refuse(work, admitted);
  return false;
}

// Returns an error while items of the caller must not make outputs, and logs
// when that begins and ends.
absl::Status JobRunner::CheckRoomOf(const Caller& caller) {
  const absl::Status room =
      CheckOutputRoom(caller, parts_.config.jobs, &folder_);
  const auto now = Clock::now();
  bool was_blocked = false;
  {
    const std::lock_guard lock(mutex_);
    was_blocked = blocked_.Has(now, caller.name);
    room.ok() ? blocked_.Remove(caller.name)
              : blocked_.Add(caller.name, now + kBlockedFor);
  }
  if (room.ok() == was_blocked) {
    parts_.log.Event(
        "blocked",
        "jobs of " + caller.name +
            (room.ok() ? " go on" : " wait: " + std::string(MessageOf(room))));
  }
  return room;
}

// Keeps an item ready until its caller has room. False for an item that runs
// alone: it would keep all others from running, so it waits in the database.
bool JobRunner::KeepReady(const WorkPtr& work) {
  const std::string& caller = work->item().caller;
  const std::lock_guard lock(mutex_);
  if (work->item().crashes >= kAloneCrashes) {
    alone_later_.Add(caller, Clock::now() + kAloneLater);
    return false;
  }
  full_[caller] = Clock::now() + kItemsLater;
  ready_.push_front(work);
  --active_;
  return true;
}

// Step 3: conversion.

// Queues the next turn of an item. Callers share the workers fairly, by the
// names of their jobs.
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
    work->end().outputs.clear();
    work->end().fault = status;
    // A lack of memory is no try, unless other items are stored meanwhile.
    if (absl::IsResourceExhausted(status)) {
      work->end().counts = false;
      work->end().may_be_its_own = true;
    }
  }
  work->AddTime(Clock::now() - start);
  if (!is_done) return Queue(work);
  bool has_calls = false;
  {
    const std::lock_guard lock(mutex_);
    --active_;
    full_.erase(work->item().caller);
    item_seconds_ += (work->seconds() - item_seconds_) / kAveraged;
    has_calls = Clock::now() < calls_until_;
  }
  // Before Put: after it, the runner may be destroyed.
  CatchAndLog(parts_.log, kWhere, [this] { Fill(); });
  storer_.Put(work);
  // Threads that serve calls may wait for a core. Without this, the slowest of
  // a hundred calls takes twice as long.
  if (has_calls) std::this_thread::yield();
}

// The end of an item.

// Ends an active item that cannot be converted now: it waits again, unless its
// job is cancelled. No try counts.
void JobRunner::Refuse(const WorkPtr& work, absl::Status why) {
  {
    const std::lock_guard lock(mutex_);
    --active_;
  }
  GiveBack(work, std::move(why));
}

// The same for an item that no worker has.
void JobRunner::GiveBack(const WorkPtr& work, absl::Status why) {
  work->end().fault = std::move(why);
  work->end().counts = false;
  storer_.Put(work);
}

void JobRunner::Ended(const std::vector<WorkPtr>& works) {
  const std::lock_guard lock(mutex_);
  for (const WorkPtr& work : works) running_.remove(work);
  if (running_.empty()) may_have_items_ = true;
  wake_.notify_all();
  ended_.notify_all();
}

// Stops claiming for a time, which doubles with each pause until a result is
// stored.
void JobRunner::Pause(const absl::Status& why) {
  {
    const std::lock_guard lock(mutex_);
    if (is_paused_) return;
    pause_ =
        std::clamp<Clock::duration>(2 * pause_, kFirstPause, kLongestPause);
    paused_until_ = Clock::now() + pause_;
    pause_why_ = why;
    is_paused_ = true;
    has_paused_ = true;
  }
  parts_.log.Event("jobs", "jobs pause: " + std::string(MessageOf(why)));
}

// Logs the end of a fault: a result was stored, or nothing waits. Not while the
// runner pauses: that result may be of the time before.
void JobRunner::GoOn() {
  {
    const std::lock_guard lock(mutex_);
    if (is_paused_ || !std::exchange(has_paused_, false)) return;
  }
  parts_.log.Event("jobs", "jobs no longer pause");
}

}  // namespace bvhmill::server
