#include "server/rpc/peer_activity.h"

namespace bvhmill::server {

bool PeerActivity::Begin(const std::string& peer, Call* call) {
  constexpr int64_t kFew = 8;
  const std::lock_guard lock(mutex_);
  const auto known = peers_.try_emplace(peer).first;
  call->name = &known->first;
  call->peer = &known->second;
  const int64_t calls = ++known->second.calls;
  call->is_one_of_many = calls > kFew;
  const auto is_too_many = [this](int64_t count) {
    return max_calls_ > 0 && count / 2 > max_calls_;
  };
  return is_too_many(calls) && !is_too_many(calls - 1);
}

bool PeerActivity::End(Call* call, bool is_cancelled) {
  const std::lock_guard lock(mutex_);
  Peer& peer = *call->peer;
  --peer.calls;
  if (call->is_active) {
    peer.ended_at = Clock::now();
    peer.cancelled_early = 0;
    return false;
  }
  if (!is_cancelled) return false;
  const int64_t count = ++peer.cancelled_early;
  // At each multiple, so that a cut that fails is tried again.
  const bool is_multiple =
      max_calls_ > 0 && count % 2 == 0 && count / 2 % max_calls_ == 0;
  if (!is_multiple) return false;
  // Keeps the entry until Release.
  ++peer.calls;
  return true;
}

void PeerActivity::Release(Call* call) {
  const std::lock_guard lock(mutex_);
  --call->peer->calls;
}

void PeerActivity::MarkActive(Call* call) {
  call->is_active.store(true, std::memory_order_relaxed);
  call->peer->active_at.store(Clock::now(), std::memory_order_relaxed);
}

void PeerActivity::MarkActive(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  peers_[peer].active_at = Clock::now();
}

Connections::Use PeerActivity::UseOf(const std::string& peer) const {
  const std::lock_guard lock(mutex_);
  const auto known = peers_.find(peer);
  if (known == peers_.end()) return {};
  return {known->second.active_at.load(), known->second.ended_at,
          known->second.calls};
}

// A connection has a new entry with its next call. An entry that was active a
// moment ago stays until the table of connections has seen it.
void PeerActivity::ForgetIdle() {
  const auto recent = Clock::now() - std::chrono::seconds(2);
  const std::lock_guard lock(mutex_);
  std::erase_if(peers_, [recent](const auto& entry) {
    return entry.second.calls == 0 && entry.second.active_at.load() < recent &&
           entry.second.ended_at < recent;
  });
}

}  // namespace bvhmill::server
