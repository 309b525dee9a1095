#include "server/jobs/job_runner.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/jobs/new_job.h"
#include "server/rpc/catch_as_status.h"

namespace bvhmill::server {
namespace {

constexpr char kWhere[] = "a job";
// The time until items of a caller without room are claimed again.
constexpr std::chrono::seconds kItemsLater(1);
// The same for its suspects: for each of them, all other items must end first.
constexpr std::chrono::seconds kSuspectsLater(10);
// The time after which a caller without room for outputs is forgotten: its
// items are looked at more often.
constexpr std::chrono::minutes kBlockedFor(1);
// Items over which the time of an item is averaged.
constexpr double kAveraged = 20;
constexpr std::chrono::seconds kFirstPause(1);
constexpr std::chrono::seconds kLongestPause(30);
// Memory that an item is counted for before its conversion draws more.
constexpr int64_t kItemBytes = int64_t{64} << 10;
// Items of one caller share the limits of one connection.
constexpr char kPeer[] = "jobs of ";
// Jobs that are known to be cancelled, of which an item may be claimed at the
// same time.
constexpr size_t kMaxCancelled = 1024;

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
  holds_none_ = true;
  const std::vector<WorkPtr> held = held_.TakeAll();
  ready_.insert(ready_.end(), held.begin(), held.end());
  for (const WorkPtr& work : ready_) GiveBack(work, absl::CancelledError(""));
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

// The first item that may be begun; null if there is none. With the mutex.
WorkPtr JobRunner::TakeReady() {
  while (!ready_.empty() && active_ < MaxActive(Clock::now()) &&
         !storer_.IsFull()) {
    const WorkPtr work = ready_.front();
    const bool is_held = held_.Has(work->item().caller) && held_.AddLast(work);
    // It stays if there is no memory to hold it.
    ready_.pop_front();
    if (is_held) continue;
    ++active_;
    return work;
  }
  return nullptr;
}

// The same for held items of a caller.
WorkPtr JobRunner::TakeHeld(const std::string& caller) {
  const std::lock_guard lock(mutex_);
  if (active_ >= MaxActive(Clock::now()) || storer_.IsFull()) return nullptr;
  WorkPtr work = held_.Take(caller);
  if (work != nullptr) ++active_;
  return work;
}

// Hands items to the workers, as long as few enough are with them: an item that
// was begun holds memory.
void JobRunner::Fill() {
  FillHeld();
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

// Items of callers that had no room come first.
void JobRunner::FillHeld() {
  std::vector<std::string> callers;
  {
    const std::lock_guard lock(mutex_);
    callers = held_.Callers();
  }
  for (const std::string& caller : callers) {
    while (const WorkPtr work = TakeHeld(caller)) {
      if (AdmitOrRefuse(work)) {
        Queue(work);
      } else if (!work->cancel().IsCancelled()) {
        break;
      }
    }
  }
}

// Whether items of the caller may make outputs. The log says when they first
// must not.
absl::Status JobRunner::CheckRoomOf(const Caller& caller) {
  const absl::Status room =
      CheckOutputRoom(caller, parts_.config.jobs, &folder_);
  const auto now = Clock::now();
  bool is_new = false;
  {
    const std::lock_guard lock(mutex_);
    is_new = !room.ok() && !blocked_.Has(now, caller.name);
    room.ok() ? blocked_.Remove(caller.name)
              : blocked_.Add(caller.name, now + kBlockedFor);
  }
  if (is_new) {
    parts_.log.Event("blocked", "jobs of " + caller.name +
                                    " wait: " + std::string(MessageOf(room)));
  }
  return room;
}

int64_t JobRunner::blocked_callers() {
  std::set<std::string> callers;
  const std::lock_guard lock(mutex_);
  blocked_.AddTo(Clock::now(), &callers);
  return static_cast<int64_t>(callers.size());
}

absl::Status JobRunner::WhyItWaits(int64_t job) {
  const absl::Status why = storer_.WhyItWaits(job);
  if (!why.ok() || !is_paused_) return why;
  const std::lock_guard lock(mutex_);
  return pause_why_;
}

// Items are admitted as the clips of their caller are. An item that is refused
// since its caller has too much in flight waits for the end of some of that.
// While space for blobs is scarce, items of a caller that has more than its
// share wait for the removal of some of its blobs. An item of a cancelled job
// ends without room.
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
  if (!IsShortOfQuota(admitted) || !Hold(work)) Refuse(work, admitted);
  return false;
}

// As Admit, but an item for which there is no memory gives its lease back.
bool JobRunner::AdmitOrRefuse(const WorkPtr& work) {
  bool is_admitted = false;
  const bool is_tried =
      CatchAndLog(parts_.log, kWhere, [&] { is_admitted = Admit(work); });
  if (!is_tried) Refuse(work, OutOfMemory());
  return is_admitted;
}

// Has an item wait here for the room of its caller. False: it must give its
// lease back and wait in the database, and its caller is left out meanwhile.
bool JobRunner::Hold(const WorkPtr& work) {
  const std::string& caller = work->item().caller;
  const std::lock_guard lock(mutex_);
  if (work->item().crashes >= kSuspectCrashes) {
    suspects_left_out_.Add(caller, Clock::now() + kSuspectsLater);
    return false;
  }
  if (holds_none_ || !held_.AddFirst(work)) {
    left_out_.Add(caller, Clock::now() + kItemsLater);
    return false;
  }
  --active_;
  return true;
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
    work->end().outputs.clear();
    work->end().fault = status;
    // Missing memory is no try, unless others find enough.
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

// Claims nothing for a while, which doubles until something is stored.
void JobRunner::Pause(const absl::Status& why) {
  {
    const std::lock_guard lock(mutex_);
    if (is_paused_) return;
    pause_ =
        std::clamp<Clock::duration>(2 * pause_, kFirstPause, kLongestPause);
    paused_until_ = Clock::now() + pause_;
    pause_why_ = why;
    is_paused_ = true;
  }
  parts_.log.Event("jobs", "jobs pause: " + std::string(MessageOf(why)));
}

}  // namespace bvhmill::server
