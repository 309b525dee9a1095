// Claims of items and of suspects: the part of JobRunner that its thread runs.

#include <algorithm>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/jobs/job_runner.h"
#include "server/jobs/wall_clock.h"
#include "server/rpc/catch_as_status.h"

namespace bvhmill::server {
namespace {

constexpr char kClaimsWhere[] = "the claims of jobs";
constexpr std::chrono::milliseconds kClaimsTick(200);
constexpr std::chrono::seconds kLook(1);
constexpr int kBeatsPerLease = 6;

// The time of the work that is claimed ahead. It is longer than a claim takes,
// and short, so that callers take turns. The items are within these bounds.
constexpr std::chrono::milliseconds kClaimAhead(100);
constexpr int kMinClaimed = 16;
constexpr int kMaxClaimed = 256;
// Items that are claimed and not stored.
constexpr int kMaxRunning = 768;

}  // namespace

// The number of items that all workers do in kClaimAhead. With the mutex.
int JobRunner::MaxClaimed() const {
  const std::chrono::duration<double> ahead = kClaimAhead;
  const double items = ahead.count() * parts_.queue.threads() / item_seconds_;
  return static_cast<int>(std::clamp<double>(items, kMinClaimed, kMaxClaimed));
}

int JobRunner::Room() const {
  const int claimed = static_cast<int>(ready_.size()) + active_;
  // Held items are bounded apart: else they would keep those of others out.
  const int running = static_cast<int>(running_.size() - held_.size());
  return std::min(MaxClaimed() - claimed, kMaxRunning - running);
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
    bool has_more = false;
    if (claims) {
      CatchAndLog(parts_.log, kClaimsWhere, [&] { has_more = ClaimSome(); });
    }
    lock.lock();
    if (has_more) may_have_items_ = true;
  }
}

// Renews the leases of this server. A server without items does so, too: it
// ends the leases of others that are gone.
void JobRunner::Renew(Clock::time_point now) {
  if (now < next_renewal_) return;
  next_renewal_ = now + std::chrono::milliseconds(LeaseMs() / kBeatsPerLease);
  const int64_t time = WallClockMs();
  const absl::Status beat = folder_.jobs().Heartbeat(time, time + LeaseMs());
  const std::string why(MessageOf(beat));
  if (!beat.ok()) parts_.log.Event("jobs", "jobs: " + why);
}

// Items may wait for the end of their backoff, so each beat looks again.
void JobRunner::Beat(Clock::time_point now) {
  Renew(now);
  if (now < next_beat_) return;
  next_beat_ = now + kLook;
  {
    const std::lock_guard lock(mutex_);
    may_have_items_ = true;
  }
  // Looked for at each beat: suspects get their turn even if other items never
  // run out.
  if (!has_suspects_) LookForSuspects(WallClockMs());
}

void JobRunner::LookForSuspects(int64_t time_ms) {
  std::set<std::string> callers;
  if (!folder_.jobs().FindSuspects(time_ms, &callers).ok()) return;
  std::set<std::string> without;
  const std::lock_guard lock(mutex_);
  suspects_left_out_.AddTo(Clock::now(), &without);
  has_suspects_ = std::any_of(
      callers.begin(), callers.end(),
      [&](const std::string& caller) { return !without.contains(caller); });
}

// Suspects first. True if there may be more.
bool JobRunner::ClaimSome() {
  if (has_suspects_) {
    const bool is_claimed = ClaimASuspect();
    if (is_claimed || has_suspects_) return is_claimed;
  }
  int room = 0;
  {
    const std::lock_guard lock(mutex_);
    room = Room();
  }
  return Claim(room, /*suspects=*/false);
}

// Each suspect runs alone: until all other items have ended, none is claimed.
// Items that are held would never end, and a suspect that ends the server would
// make suspects of them.
bool JobRunner::ClaimASuspect() {
  std::vector<WorkPtr> held;
  bool is_idle = false;
  {
    const std::lock_guard lock(mutex_);
    holds_none_ = true;
    held = held_.TakeAll();
    is_idle = running_.empty();
  }
  for (const WorkPtr& work : held) GiveBack(work, absl::CancelledError(""));
  // The end of the last item wakes this thread.
  if (!is_idle) return false;
  has_suspects_ = Claim(1, /*suspects=*/true);
  if (has_suspects_) return true;
  const std::lock_guard lock(mutex_);
  holds_none_ = false;
  return false;
}

bool JobRunner::Claim(int limit, bool suspects) {
  const int64_t time = WallClockMs();
  ClaimRules rules = {.limit = limit,
                      .now_ms = time,
                      .until_ms = time + LeaseMs(),
                      .suspects = suspects};
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& caller : held_.Callers()) {
      rules.without.insert(caller);
    }
    left_out_.AddTo(Clock::now(), &rules.without);
    if (suspects) suspects_left_out_.AddTo(Clock::now(), &rules.without);
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

}  // namespace bvhmill::server
