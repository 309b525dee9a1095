#include "server/rpc/call_registry.h"

#include <algorithm>
#include <utility>

namespace bvhmill::server {

bool CallRegistry::Begin(NewCall call, CallId* id) {
  bool must_cut = false;
  std::list<RunningCall> added(1);
  RunningCall& running = added.front();
  running.watch = std::move(call.watch);
  running.is_aside = IsAside(call.kind);
  {
    const std::lock_guard lock(mutex_);
    if (is_draining_ && !running.is_aside) return false;
    must_cut = peers_.Begin(call.peer, call.kind, call.header_bytes,
                            &running.activity);
    if (!running.is_aside) ++awaited_;
    *id = added.begin();
    calls_.splice(calls_.end(), added);
  }
  if (must_cut) cut_(call.peer, "calls");
  return true;
}

void CallRegistry::End(CallId id, bool is_cancelled) {
  std::list<RunningCall> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.splice(ended.begin(), calls_, id);
    if (!ended.front().is_aside) --awaited_;
    if (is_draining_ && awaited_ == 0) idle_.notify_all();
  }
  PeerActivity::Call& activity = ended.front().activity;
  if (!peers_.End(&activity, is_cancelled)) return;
  cut_(*activity.name, "calls were cancelled before their first message");
  peers_.Release(&activity);
}

std::vector<std::shared_ptr<CallWatch>> CallRegistry::Watches() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<CallWatch>> watches;
  watches.reserve(calls_.size());
  for (const RunningCall& call : calls_) {
    if (call.watch != nullptr) watches.push_back(call.watch);
  }
  return watches;
}

void CallRegistry::Tick(std::chrono::steady_clock::time_point now) {
  for (const auto& watch : Watches()) watch->OnTick(now);
}

bool CallRegistry::Drain(std::chrono::seconds patience) {
  {
    const std::lock_guard lock(mutex_);
    is_draining_ = true;
  }
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kRound(100);
  const Clock::time_point end = Clock::now() + patience;
  while (true) {
    for (const auto& watch : Watches()) watch->OnDrain();
    const Clock::time_point next = std::min(end, Clock::now() + kRound);
    std::unique_lock lock(mutex_);
    if (idle_.wait_until(lock, next, [this] { return awaited_ == 0; })) {
      return true;
    }
    if (Clock::now() >= end) return false;
  }
}

int64_t CallRegistry::running() const {
  const std::lock_guard lock(mutex_);
  return awaited_;
}

}  // namespace bvhmill::server
