#include "server/net/stray_bytes.h"

#include <algorithm>
#include <utility>

namespace bvhmill::server {

int64_t StrayBytes::Explained(const SocketState& socket, const PeerUse& use) {
  constexpr int64_t kPartOfAccepted = 8;
  const bool is_same = use.entry == use_.entry;
  has_left_ |= use.left > (is_same ? use_.left : 0);
  const int64_t heard = use.explained - (is_same ? use_.explained : 0);
  const int64_t accepted = std::max(socket.accepted - accepted_, int64_t{0});
  return heard + accepted / kPartOfAccepted;
}

int64_t StrayBytes::UsualBytes(Time now) {
  constexpr int64_t kPerSecond = 64;
  if (now <= credited_at_) return 0;
  const auto passed =
      std::chrono::duration_cast<std::chrono::seconds>(now - credited_at_);
  credited_at_ += passed;
  return kPerSecond * passed.count();
}

void StrayBytes::Arrive(Time now, int64_t bytes, int64_t begun) {
  // The number of entries does not grow with the patience.
  constexpr int kEntries = 128;
  const Time::duration span = Time::duration(patience_) / kEntries;
  const bool is_new =
      arrivals_.empty() || looked_at_ - arrivals_.back().after > span;
  if (is_new) arrivals_.push_back({looked_at_, now, 0, begun});
  Arrival& last = arrivals_.back();
  last.before = now;
  last.bytes += bytes;
  last.begun = begun;
}

// A call is old only if it surely is; bytes are as old as they can be.
void StrayBytes::Forget(Time now) {
  while (!arrivals_.empty() && now - arrivals_.front().before > patience_) {
    begun_before_ = arrivals_.front().begun;
    arrivals_.pop_front();
  }
  recent_ = 0;
  for (const Arrival& arrival : arrivals_) {
    if (now - arrival.after <= patience_) recent_ += arrival.bytes;
  }
}

// Bytes that came before an upload was last heard are not of its next message.
void StrayBytes::Forgive(Time now, const PeerUse& use, int64_t unread) {
  if (use.silent_since == Time::max()) {
    // gRPC knows the calls of all bytes that it has read.
    bytes_ = std::min(bytes_, unread);
    has_left_ = false;
    return;
  }
  if (now - use.silent_since > patience_) return;
  int64_t since = 0;
  for (const Arrival& arrival : arrivals_) {
    if (arrival.before > use.silent_since) since += arrival.bytes;
  }
  bytes_ = std::min(bytes_, since);
}

void StrayBytes::Look(Time now, const SocketState& socket, const PeerUse& use,
                      const CallCounts& counts, bool is_settled) {
  const int64_t came = std::max(socket.received - received_, int64_t{0});
  const int64_t explained = Explained(socket, use);
  const int64_t usual = UsualBytes(now);
  bytes_ = std::max(bytes_ + came - explained - usual, int64_t{0});
  const int64_t opening = std::min(bytes_, opening_);
  opening_ -= opening;
  bytes_ -= opening;
  has_left_ |= counts.failed > counts_.failed;
  if (patience_.count() > 0) {
    if (came > 0) Arrive(now, came, counts.begun);
    Forget(now);
  }
  if (has_left_ && is_settled) Forgive(now, use, socket.unread);
  if (use.heard_at > use_.heard_at) {
    taken_when_heard_ = bytes_ - socket.unread;
  }
  received_ = std::max(socket.received, received_);
  accepted_ = std::max(socket.accepted, accepted_);
  use_ = use;
  counts_ = counts;
  looked_at_ = now;
}

int64_t StrayBytes::old_bytes() const {
  if (patience_.count() == 0) return 0;
  return std::max(bytes_ - recent_, int64_t{0});
}

int64_t StrayBytes::old_calls() const {
  return std::max(begun_before_ - counts_.ended - use_.calls, int64_t{0});
}

}  // namespace bvhmill::server
