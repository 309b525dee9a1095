#include "server/net/connection_table.h"

#include <sys/resource.h>

#include <algorithm>
#include <iterator>

#include "bvhmill/base/limits.h"

namespace bvhmill::server {
namespace {

int64_t MaxConnections(int64_t limit) {
  // Open files that are not connections.
  constexpr rlim_t kOthers = 40;
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return limit;
  if (files.rlim_cur == RLIM_INFINITY) return limit;
  const rlim_t room = std::max(files.rlim_cur, kOthers + 1) - kOthers;
  const auto most = static_cast<int64_t>(room);
  return limit == 0 ? most : std::min(limit, most);
}

std::string AddressOf(const std::string& peer) {
  return peer.substr(0, peer.rfind(':'));
}

// A proxy on this machine connects from these.
bool IsThisMachine(const std::string& address) {
  return address.empty() || address == "ipv4:127.0.0.1" ||
         address == "ipv6:%5B::1%5D";
}

}  // namespace

Connections::Connections(const TransportLimits& limits,
                         int64_t send_timeout_seconds)
    : limits_(limits),
      send_timeout_seconds_(send_timeout_seconds),
      most_(MaxConnections(limits.max_connections)) {}

Connections::Table::iterator Connections::Erase(Table::iterator entry) {
  const auto address = addresses_.find(entry->second.address);
  if (--address->second == 0) addresses_.erase(address);
  const auto peer = peers_.find(entry->second.peer);
  const bool is_same = peer != peers_.end() && peer->second == entry->first;
  if (is_same) peers_.erase(peer);
  return all_.erase(entry);
}

void Connections::ForgetClosed() {
  forgot_at_ = Clock::now();
  for (auto it = all_.begin(); it != all_.end();) {
    const SocketState state = ReadSocketState(it->first);
    const bool is_open = state.cookie == it->second.socket.cookie;
    if (is_open) it->second.socket = state;
    it = is_open ? std::next(it) : Erase(it);
  }
}

bool Connections::IsFull() const {
  return most_ > 0 && static_cast<int64_t>(all_.size()) >= most_;
}

bool Connections::IsAddressFull(const std::string& address) const {
  const int64_t most = limits_.max_connections_per_address;
  if (most == 0 || IsThisMachine(address)) return false;
  const auto found = addresses_.find(address);
  return found != addresses_.end() && found->second >= most;
}

bool Connections::Add(int file) {
  constexpr std::chrono::milliseconds kPause(100);
  const std::string peer = PeerName(file);
  const std::string address = AddressOf(peer);
  const std::lock_guard lock(mutex_);
  // The file number is free: its old file is closed.
  if (const auto old = all_.find(file); old != all_.end()) Erase(old);
  const bool is_full = IsFull() || IsAddressFull(address);
  if (is_full && Clock::now() - forgot_at_ > kPause) ForgetClosed();
  if (IsFull()) {
    ++refused_.max_connections;
    return false;
  }
  if (IsAddressFull(address)) {
    ++refused_.max_connections_per_address;
    return false;
  }
  // The kernel ends the connection if the process is too busy to Sweep. It is
  // later than Sweep, which logs the cut.
  constexpr int64_t kLater = 5;
  if (send_timeout_seconds_ > 0) {
    SetSendTimeout(file, send_timeout_seconds_ + kLater);
  }
  Connection& added = all_[file];
  added.socket = ReadSocketState(file);
  added.peer = peer;
  added.address = address;
  added.send.at = Clock::now();
  ++addresses_[address];
  if (!peer.empty()) peers_[peer] = file;
  return true;
}

// Cuts a connection once: it stays in the table until gRPC has closed it.
bool Connections::Cut(int file, Connection* connection) {
  if (connection->is_cut) return false;
  connection->is_cut = ResetSocket(file, connection->socket.cookie);
  return connection->is_cut;
}

bool Connections::Reset(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(peer);
  return found != peers_.end() && Cut(found->second, &all_.at(found->second));
}

int64_t Connections::ReceivedBytes(const std::string& peer) const {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(peer);
  return found == peers_.end() ? 0 : all_.at(found->second).socket.received;
}

// A slow peer may continue if it accepts a part of each queue. The part is
// small enough for any network.
bool Connections::IsStalled(Clock::time_point now,
                            Connection* connection) const {
  if (send_timeout_seconds_ == 0) return false;
  constexpr int64_t kBytesPerSecond = 1024;
  const auto timeout = Seconds(send_timeout_seconds_);
  const SocketState& socket = connection->socket;
  SendMark& mark = connection->send;
  const int64_t due = std::min(mark.unsent, kBytesPerSecond * timeout.count());
  // Without counts, any change of the queue is progress.
  const bool keeps_up = socket.has_counts
                            ? socket.accepted - mark.accepted >= due
                            : socket.unsent != mark.unsent;
  if (!keeps_up && socket.unsent > 0) return now - mark.at > timeout;
  mark = {now, socket.accepted, socket.unsent};
  return false;
}

std::vector<std::string> Connections::Sweep(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  ForgetClosed();
  std::vector<std::string> cut;
  for (auto& [file, connection] : all_) {
    if (!IsStalled(now, &connection)) continue;
    if (Cut(file, &connection)) cut.push_back(connection.peer);
  }
  return cut;
}

int64_t Connections::CutAll() {
  const std::lock_guard lock(mutex_);
  ForgetClosed();
  return std::count_if(all_.begin(), all_.end(), [](auto& entry) {
    return Cut(entry.first, &entry.second);
  });
}

int64_t Connections::count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(all_.size());
}

RefusedConnections Connections::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace bvhmill::server
