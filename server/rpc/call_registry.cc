#include "server/rpc/call_registry.h"

#include <algorithm>

#include "server/rpc/errors.h"

namespace bvhmill::server {

absl::Status CallRegistry::Begin(NewCall call, std::optional<CallId>* id) {
  constexpr int64_t kPart = 8;
  std::list<RunningCall> added(1);
  RunningCall& running = added.front();
  running.watch = std::move(call.watch);
  running.is_aside = call.is_aside;
  std::string busiest;
  int64_t count = 0;
  const int64_t most =
      call.is_aside ? std::max<int64_t>(max_calls_ / kPart, 1) : max_calls_;
  {
    const std::lock_guard lock(mutex_);
    if (is_draining_ && !call.is_aside) return Stopping();
    running.peer = &*peers_.try_emplace(call.peer).first;
    ++running.peer->second;
    count = ++(call.is_aside ? aside_ : awaited_);
    *id = added.begin();
    calls_.splice(calls_.end(), added);
    const bool is_flooded = count > most + most / kPart;
    if (max_calls_ > 0 && is_flooded) busiest = BusiestPeer();
  }
  if (!busiest.empty()) cut_(busiest);
  return max_calls_ > 0 && count > most
             ? ServerBusy("max_calls", max_calls_, count)
             : absl::OkStatus();
}

void CallRegistry::End(CallId id) {
  std::list<RunningCall> ended;
  const std::lock_guard lock(mutex_);
  ended.splice(ended.begin(), calls_, id);
  if (--id->peer->second == 0) {
    const std::string peer = id->peer->first;
    peers_.erase(peer);
  }
  --(id->is_aside ? aside_ : awaited_);
  if (is_draining_ && awaited_ == 0) idle_.notify_all();
}

std::string CallRegistry::BusiestPeer() const {
  const auto most = std::max_element(
      peers_.begin(), peers_.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == peers_.end() ? "" : most->first;
}

bool CallRegistry::IsOneOfMany(CallId id) const {
  constexpr int64_t kMany = 8;
  const std::lock_guard lock(mutex_);
  return id->peer->second > kMany;
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

bool CallRegistry::Drain(std::chrono::seconds timeout) {
  {
    const std::lock_guard lock(mutex_);
    is_draining_ = true;
  }
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kRound(100);
  const Clock::time_point end = Clock::now() + timeout;
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
