#include "server/net/stray_bytes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

namespace bvhmill::server {
namespace {

std::string NameOf(const in_addr& address, in_port_t port) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address, text, sizeof text);
  return std::string("ipv4:") + text + ":" + std::to_string(ntohs(port));
}

std::string NameOf(const sockaddr_in6& address) {
  if (IN6_IS_ADDR_V4MAPPED(&address.sin6_addr)) {
    in_addr mapped = {};
    std::memcpy(&mapped, address.sin6_addr.s6_addr + 12, sizeof mapped);
    return NameOf(mapped, address.sin6_port);
  }
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof text);
  std::string scope;
  if (address.sin6_scope_id != 0) {
    scope = "%25" + std::to_string(address.sin6_scope_id);
  }
  return std::string("ipv6:%5B") + text + scope +
         "%5D:" + std::to_string(ntohs(address.sin6_port));
}

uint64_t CookieOf(int file) {
  uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  const int fault = getsockopt(file, SOL_SOCKET, SO_COOKIE, &cookie, &size);
  return fault == 0 ? cookie : 0;
}

int64_t QueueLength(int file, unsigned long request) {
  int bytes = 0;
  return ioctl(file, request, &bytes) == 0 ? bytes : 0;
}

void ReadCounts(int file, SocketState* state) {
  tcp_info info = {};
  socklen_t size = sizeof info;
  const int fault = getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size);
  constexpr size_t kNeeded =
      offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
  if (fault != 0 || size < kNeeded) return;
  state->has_counts = true;
  state->received = static_cast<int64_t>(info.tcpi_bytes_received);
  state->accepted = static_cast<int64_t>(info.tcpi_bytes_acked);
}

}  // namespace

SocketState ReadSocketState(int file) {
  SocketState state;
  state.cookie = CookieOf(file);
  if (state.cookie == 0) return state;
  state.unsent = QueueLength(file, SIOCOUTQ);
  state.unread = QueueLength(file, SIOCINQ);
  ReadCounts(file, &state);
  return state;
}

std::string PeerName(int file) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (getpeername(file, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return "";
  }
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return NameOf(v4.sin_addr, v4.sin_port);
  }
  if (address.ss_family != AF_INET6) return "";
  return NameOf(reinterpret_cast<const sockaddr_in6&>(address));
}

bool ResetSocket(int file, uint64_t cookie) {
  // The owner may close the file at any time, and the kernel may then reuse its
  // number. The copy always refers to one socket.
  const int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return false;
  bool is_done = CookieOf(copy) == cookie;
  if (is_done) {
    // A connect to AF_UNSPEC resets a TCP connection. After a shutdown the
    // owner would still read the bytes in the receive queue. Unix sockets
    // support only the shutdown.
    sockaddr none = {};
    none.sa_family = AF_UNSPEC;
    is_done = connect(copy, &none, sizeof none) == 0 ||
              shutdown(copy, SHUT_RDWR) == 0;
  }
  close(copy);
  return is_done;
}

void SetSendTimeout(int file, int64_t seconds) {
  constexpr int64_t kMax = std::numeric_limits<int>::max() / 1000;
  const auto ms = static_cast<unsigned>(std::min(seconds, kMax) * 1000);
  setsockopt(file, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
}

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

// Rounds in favor of calls and against bytes: a call is old only if that is
// sure, bytes are as old as they can be.
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

// Bytes that came before the last message of an upload are not part of its next
// message.
void StrayBytes::Forgive(Time now, const PeerUse& use, int64_t unread) {
  if (use.silent_since == Time::max()) {
    // No open call can own the bytes that gRPC has read.
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
