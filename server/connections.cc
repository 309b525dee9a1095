#include "server/connections.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <utility>

#include "bvhmill/base/limits.h"

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

// The other side of a socket; empty if it has no name of its own.
std::string PeerOf(int file) {
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

// 0 if it is closed, or no socket any more.
uint64_t CookieOf(int file) {
  uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  const int fault = getsockopt(file, SOL_SOCKET, SO_COOKIE, &cookie, &size);
  return fault == 0 ? cookie : 0;
}

// What has come since it was opened; 0 if the kernel does not count that.
int64_t BytesOf(int file) {
  tcp_info info = {};
  socklen_t size = sizeof info;
  const int fault = getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size);
  constexpr size_t kNeeded =
      offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
  return fault == 0 && size >= kNeeded
             ? static_cast<int64_t>(info.tcpi_bytes_received)
             : 0;
}

// Resets the socket of that name. What has come and was not read yet would be
// read on behind a shutdown.
bool Reset(int file, uint64_t cookie) {
  // gRPC may close it at any time, and its number be used again; not of this.
  const int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return false;
  sockaddr nobody = {};
  nobody.sa_family = AF_UNSPEC;
  const bool is_done =
      CookieOf(own) == cookie && connect(own, &nobody, sizeof nobody) == 0;
  close(own);
  return is_done;
}

// Pings, and checks of health, of which the server hears nothing.
int64_t UsualBytes(Connections::Clock::duration silence) {
  constexpr int64_t kPerSecond = 64;
  return kPerSecond *
         std::chrono::duration_cast<std::chrono::seconds>(silence).count();
}

int64_t MostConnections(int64_t limit) {
  // What is opened beside them.
  constexpr rlim_t kOthers = 40;
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return limit;
  if (files.rlim_cur == RLIM_INFINITY) return limit;
  const rlim_t room = std::max(files.rlim_cur, kOthers + 1) - kOthers;
  const auto most = static_cast<int64_t>(room);
  return limit == 0 ? most : std::min(limit, most);
}

}  // namespace

Connections::Connections(const TransportLimits& limits)
    : limits_(limits), most_(MostConnections(limits.max_connections)) {}

void Connections::ForgetClosed() {
  forgot_at_ = Clock::now();
  std::erase_if(all_, [](const auto& connection) {
    return CookieOf(connection.first) != connection.second.cookie;
  });
}

bool Connections::IsFull() const {
  return most_ > 0 && static_cast<int64_t>(all_.size()) >= most_;
}

bool Connections::Add(int file) {
  constexpr std::chrono::milliseconds kPause(100);
  const std::lock_guard lock(mutex_);
  // The number is free: what had it is closed.
  all_.erase(file);
  if (IsFull() && Clock::now() - forgot_at_ > kPause) ForgetClosed();
  if (IsFull()) {
    ++refused_;
    return false;
  }
  Connection& added = all_[file];
  added.cookie = CookieOf(file);
  added.peer = PeerOf(file);
  added.heard_at = added.stray_since = Clock::now();
  return true;
}

// Once only: until gRPC sees that it is gone, it still counts.
std::string Connections::Cut(int file, Connection* connection) {
  std::string peer;
  if (Reset(file, connection->cookie)) connection->peer.swap(peer);
  return peer;
}

bool Connections::Cut(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  for (auto& [file, connection] : all_) {
    if (connection.peer.empty() || connection.peer != peer) continue;
    return !Cut(file, &connection).empty();
  }
  return false;
}

// What has come that is no message yet, but for pings and the like; and, if
// there is any, since when.
int64_t Connections::StrayBytes(int file, Clock::time_point now,
                                const UseOf& use, Connection* connection) {
  const Use used = use(connection->peer);
  const int64_t bytes = BytesOf(file);
  const auto heard_at = std::max(used.heard_at, used.ended_at);
  if (heard_at > connection->stray_since) {
    connection->stray_since = heard_at;
    connection->bytes = bytes;
  }
  connection->heard_at = std::max(connection->heard_at, heard_at);
  connection->had_calls |= used.heard_at != Clock::time_point();
  const int64_t stray =
      bytes - connection->bytes - UsualBytes(now - connection->stray_since);
  if (stray > 0) return stray;
  // The time in which nothing came is no time of what comes next.
  connection->stray_since = std::max(connection->stray_since, now);
  connection->bytes = bytes;
  return 0;
}

bool Connections::IsLate(Clock::time_point now,
                         const Connection& connection) const {
  const auto patience = Seconds(limits_.max_request_seconds);
  return patience.count() > 0 && now - connection.stray_since > patience;
}

std::vector<std::string> Connections::Look(Clock::time_point now,
                                           const UseOf& use) {
  const std::lock_guard lock(mutex_);
  ForgetClosed();
  std::vector<std::string> cut;
  for (auto& [file, connection] : all_) {
    if (connection.peer.empty()) continue;
    const int64_t stray = StrayBytes(file, now, use, &connection);
    if (!Exceeds(stray, limits_.max_stray_bytes)) continue;
    if (!IsLate(now, connection)) continue;
    std::string peer = Cut(file, &connection);
    if (!peer.empty()) cut.push_back(std::move(peer));
  }
  return cut;
}

// No call, and none that seems to be on its way.
bool Connections::IsIdle(int file, Clock::time_point now, const UseOf& use,
                         Connection* connection) const {
  if (connection->peer.empty() || use(connection->peer).calls > 0) return false;
  const int64_t stray = StrayBytes(file, now, use, connection);
  // Whoever has had calls is likely to have more, or to be taking an answer.
  constexpr int kTrust = 10;
  const auto silence =
      (now - connection->heard_at) / (connection->had_calls ? kTrust : 1);
  if (silence <= Seconds(limits_.handshake_seconds)) return false;
  return stray == 0 || IsLate(now, *connection);
}

int64_t Connections::MakeRoom(Clock::time_point now, const UseOf& use) {
  const std::lock_guard lock(mutex_);
  const bool wants_room = std::exchange(refused_before_, refused_) < refused_;
  if (!wants_room || !IsFull() || limits_.handshake_seconds == 0) return 0;
  std::vector<std::tuple<bool, Clock::time_point, int>> idle;
  for (auto& [file, connection] : all_) {
    if (!IsIdle(file, now, use, &connection)) continue;
    idle.emplace_back(connection.had_calls, connection.heard_at, file);
  }
  std::sort(idle.begin(), idle.end());
  constexpr int64_t kPart = 16;
  const auto room = static_cast<size_t>(std::max<int64_t>(most_ / kPart, 1));
  idle.resize(std::min(idle.size(), room));
  return std::count_if(idle.begin(), idle.end(), [this](const auto& one) {
    const int file = std::get<int>(one);
    return !Cut(file, &all_[file]).empty();
  });
}

std::string Connections::CutLargest(Clock::time_point now, const UseOf& use) {
  if (limits_.max_stray_bytes == 0) return "";
  const std::lock_guard lock(mutex_);
  ForgetClosed();
  int largest = -1;
  int64_t most = limits_.max_stray_bytes;
  for (auto& [file, connection] : all_) {
    if (connection.peer.empty()) continue;
    const int64_t stray = StrayBytes(file, now, use, &connection);
    if (stray <= most) continue;
    most = stray;
    largest = file;
  }
  return largest < 0 ? "" : Cut(largest, &all_[largest]);
}

int64_t Connections::count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(all_.size());
}

int64_t Connections::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace bvhmill::server
