#include "server/rpc/peer_activity.h"

#include <algorithm>

namespace bvhmill::server {
namespace {

// The bytes that an honest client sends for a call beside its metadata and its
// messages, at most: the fields of HTTP/2, the heads of frames, a ping,
// updates of windows, and TLS records for each of them.
constexpr int64_t kCallBytes = 512;

// The bytes of a message on the wire: with the heads of its frames and TLS
// records. A frame usually has 16 KiB, but less if a window is nearly used up.
int64_t WireBytes(int64_t message) { return message + message / 16 + 64; }

}  // namespace

bool PeerActivity::Begin(const std::string& peer, CallKind kind,
                         int64_t header_bytes, Call* call) {
  constexpr int64_t kFew = 8;
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = peers_.try_emplace(peer);
  if (is_new) known->second.entry = ++entries_;
  call->name = &known->first;
  call->peer = &known->second;
  call->kind = kind;
  call->heard_at = Clock::now();
  Peer& entry = known->second;
  entry.explained += kCallBytes + header_bytes;
  ++entry.begun;
  if (kind == CallKind::kUpload) entry.uploads.insert(call);
  if (kind == CallKind::kFree) ++entry.free_calls;
  if (IsAside(kind)) ++entry.aside_calls;
  const int64_t calls = ++entry.calls;
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
  peer.uploads.erase(call);
  const bool is_aside = IsAside(call->kind);
  if (call->kind == CallKind::kFree) --peer.free_calls;
  if (is_aside) --peer.aside_calls;
  const bool may_leave = call->kind == CallKind::kUpload || !call->is_active;
  if (may_leave && !is_aside) ++peer.left;
  if (call->is_active) {
    if (!is_aside) peer.ended_at = Clock::now();
    peer.cancelled_early = 0;
    return false;
  }
  if (!is_cancelled) return false;
  const int64_t count = ++peer.cancelled_early;
  // At each multiple: a cut that failed is retried.
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

void PeerActivity::MarkHeard(Call* call, int64_t bytes) {
  Explain(call, bytes);
  MarkActive(call);
}

void PeerActivity::Explain(Call* call, int64_t bytes) {
  call->is_active.store(true, std::memory_order_relaxed);
  call->heard_at.store(Clock::now(), std::memory_order_relaxed);
  call->peer->explained.fetch_add(WireBytes(bytes), std::memory_order_relaxed);
}

void PeerActivity::MarkActive(Call* call) {
  call->is_active.store(true, std::memory_order_relaxed);
  call->peer->active_at.store(Clock::now(), std::memory_order_relaxed);
}

void PeerActivity::MarkBusy(Call* call) {
  MarkActive(call);
  call->busy_at.store(Clock::now(), std::memory_order_relaxed);
}

Connections::Use PeerActivity::UseOf(const std::string& peer) const {
  constexpr std::chrono::seconds kRecent(3);
  const std::lock_guard lock(mutex_);
  const auto known = peers_.find(peer);
  if (known == peers_.end()) return {};
  const Peer& entry = known->second;
  Connections::Use use{.heard_at = entry.active_at.load(),
                       .ended_at = entry.ended_at,
                       .calls = entry.calls,
                       .free_calls = entry.free_calls,
                       .aside_calls = entry.aside_calls,
                       .entry = entry.entry,
                       .explained = entry.explained.load(),
                       .begun = entry.begun,
                       .left = entry.left};
  if (entry.uploads.empty()) return use;
  use.uploads = static_cast<int64_t>(entry.uploads.size());
  const auto busy_since = Clock::now() - kRecent;
  for (const Call* const call : entry.uploads) {
    use.silent_since = std::min(use.silent_since, call->heard_at.load());
    use.busy_uploads += call->busy_at.load() >= busy_since ? 1 : 0;
  }
  return use;
}

// The next call of the connection makes a new entry. An entry that was active a
// moment ago stays until the table of connections has read it.
void PeerActivity::ForgetIdle() {
  const auto recent = Clock::now() - std::chrono::seconds(2);
  const std::lock_guard lock(mutex_);
  std::erase_if(peers_, [recent](const auto& entry) {
    return entry.second.calls == 0 && entry.second.active_at.load() < recent &&
           entry.second.ended_at < recent;
  });
}

}  // namespace bvhmill::server
