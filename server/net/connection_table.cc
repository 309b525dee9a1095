#include "server/net/connection_table.h"

#include <sys/resource.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "bvhmill/base/limits.h"

namespace bvhmill::server {
namespace {

// Stray bytes that an honest peer may have: a message that is not complete.
// Such a peer is not the reason why memory grows.
constexpr int64_t kSuspectBytes = int64_t{256} << 10;

// Bytes of an upload in the buffers of gRPC that the server has not read yet.
constexpr int64_t kBufferBytes = int64_t{5} << 20;

// The default of max_request_message_bytes: a part of such a message may have
// come.
constexpr int64_t kMessageBytes = int64_t{16} << 20;

// The memory of a call in gRPC before it is delivered.
constexpr int64_t kCallBytes = int64_t{20} << 10;

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

}  // namespace

Connections::Connections(const TransportLimits& limits,
                         int64_t send_timeout_seconds, CountsOf counts_of)
    : limits_(limits),
      send_timeout_seconds_(send_timeout_seconds),
      most_(MaxConnections(limits.max_connections)),
      counts_of_(std::move(counts_of)) {}

void Connections::ForgetClosed() {
  forgot_at_ = Clock::now();
  for (auto it = all_.begin(); it != all_.end();) {
    const SocketState state = ReadSocketState(it->first);
    const bool is_open = state.cookie == it->second.socket.cookie;
    if (is_open) it->second.socket = state;
    it = is_open ? std::next(it) : all_.erase(it);
  }
}

// Reads the uses before the sockets: see StrayBytes::Look.
void Connections::Refresh(Clock::time_point now, const UseOf& use) {
  for (auto& [file, connection] : all_) {
    if (!connection.peer.empty()) connection.use = use(connection.peer);
  }
  ForgetClosed();
  for (auto& [file, connection] : all_) {
    CountRead(&connection);
    if (connection.peer.empty()) continue;
    const Use& now_used = connection.use;
    const bool is_settled = CountCalls(now, use, &connection);
    connection.stray.Look(now, connection.socket, now_used, connection.counts,
                          is_settled);
    connection.heard_at =
        std::max({connection.heard_at, now_used.heard_at, now_used.ended_at});
    connection.had_calls |= now_used.heard_at != Clock::time_point();
  }
}

void Connections::CountRead(Connection* connection) {
  const SocketState& socket = connection->socket;
  const int64_t read = std::max<int64_t>(socket.received - socket.unread, 0);
  if (read > connection->read) read_ += read - connection->read;
  connection->read = std::max(connection->read, read);
}

bool Connections::IsFull() const {
  return most_ > 0 && static_cast<int64_t>(all_.size()) >= most_;
}

bool Connections::Add(int file) {
  constexpr std::chrono::milliseconds kPause(100);
  const std::lock_guard lock(mutex_);
  // The file number is free: its old file is closed.
  all_.erase(file);
  if (IsFull() && Clock::now() - forgot_at_ > kPause) ForgetClosed();
  if (IsFull()) {
    ++refused_;
    return false;
  }
  // The kernel ends the connection if the process is too busy to Sweep. It is
  // later than Sweep, which logs the cut.
  constexpr int64_t kLater = 5;
  if (send_timeout_seconds_ > 0) {
    SetSendTimeout(file, send_timeout_seconds_ + kLater);
  }
  const auto now = Clock::now();
  Connection& added =
      all_.try_emplace(file, Seconds(limits_.max_request_seconds), now)
          .first->second;
  added.socket = ReadSocketState(file);
  added.peer = PeerName(file);
  if (has_cuts_) {
    const std::lock_guard cuts_lock(cuts_mutex_);
    cuts_.erase(added.peer);
  }
  added.heard_at = added.send.at = added.read_well_at = now;
  return true;
}

// Cuts a connection once: it stays in the table until gRPC has closed it.
bool Connections::Reset(int file, Connection* connection) {
  if (connection->is_cut) return false;
  connection->is_cut = ResetSocket(file, connection->socket.cookie);
  if (connection->is_cut && !connection->peer.empty()) {
    const std::lock_guard lock(cuts_mutex_);
    cuts_[connection->peer] = Clock::now();
    has_cuts_ = true;
  }
  return connection->is_cut;
}

bool Connections::WasReset(const std::string& peer) const {
  const std::lock_guard lock(cuts_mutex_);
  return cuts_.contains(peer);
}

void Connections::ForgetCuts() {
  const auto then = Clock::now() - std::chrono::minutes(1);
  const std::lock_guard lock(cuts_mutex_);
  std::erase_if(cuts_, [then](const auto& cut) { return cut.second < then; });
  has_cuts_ = !cuts_.empty();
}

bool Connections::Reset(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  for (auto& [file, connection] : all_) {
    if (connection.is_cut || connection.peer.empty()) continue;
    if (connection.peer == peer) return Reset(file, &connection);
  }
  return false;
}

// A slow peer may continue if it accepts a part of each queue. The part is
// small enough for any network.
bool Connections::IsStalled(Clock::time_point now,
                            Connection* connection) const {
  if (send_timeout_seconds_ == 0) return false;
  constexpr int64_t kBytesPerSecond = 1024;
  const auto patience = Seconds(send_timeout_seconds_);
  const SocketState& socket = connection->socket;
  SendMark& mark = connection->send;
  const int64_t due = std::min(mark.unsent, kBytesPerSecond * patience.count());
  // Without counts, any change of the queue is progress.
  const bool keeps_up = socket.has_counts
                            ? socket.accepted - mark.accepted >= due
                            : socket.unsent != mark.unsent;
  if (!keeps_up && socket.unsent > 0) return now - mark.at > patience;
  mark = {now, socket.accepted, socket.unsent};
  return false;
}

const char* Connections::LimitBeyond(Clock::time_point now, int64_t resident,
                                     Connection* connection) const {
  if (IsStalled(now, connection)) {
    return "idle_seconds: the peer does not accept what is sent to it";
  }
  const StrayBytes& stray = connection->stray;
  if (stray.old_calls() > 0) {
    return "max_request_seconds: a call without a message";
  }
  if (!Exceeds(stray.bytes(), limits_.max_stray_bytes)) return nullptr;
  if (resident > 0 && TakenBytes(*connection) > resident) {
    return "max_stray_bytes, and what came is not in memory";
  }
  const int64_t old =
      stray.old_bytes() - connection->use.busy_uploads * kBufferBytes;
  return Exceeds(old, limits_.max_stray_bytes)
             ? "max_stray_bytes, and no message within max_request_seconds"
             : nullptr;
}

int64_t Connections::TakenBytes(const Connection& connection) {
  return connection.stray.bytes() - connection.socket.unread;
}

// A peer that was active a moment ago is probably honest: a stream that the
// server does not read for a while also keeps sending.
bool Connections::IsSuspect(Clock::time_point now,
                            const Connection& connection) {
  constexpr std::chrono::seconds kRecent(2);
  const int64_t usual =
      kMessageBytes + connection.use.uploads * (kMessageBytes + kBufferBytes);
  const bool is_recent = connection.had_calls &&
                         now - connection.heard_at < kRecent &&
                         connection.stray.taken_when_heard() <= usual;
  return !connection.is_cut && !is_recent;
}

void Connections::LookAtReading(Clock::time_point now, Connection* connection) {
  // Bytes in a second. gRPC reads messages a hundred times faster.
  constexpr int64_t kSlow = int64_t{1} << 20;
  const int64_t read = connection->read - connection->read_at_look;
  connection->read_at_look = connection->read;
  if (connection->socket.unread > 0 && read < kSlow) return;
  connection->read_well_at = now;
}

int Connections::FindSlowest(Clock::time_point now) const {
  if (limits_.max_stray_bytes == 0) return -1;
  constexpr std::chrono::seconds kPatience(3);
  int slowest = -1;
  int64_t most = kSuspectBytes;
  for (const auto& [file, connection] : all_) {
    if (!IsSuspect(now, connection)) continue;
    if (TakenBytes(connection) <= most) continue;
    if (now - connection.read_well_at < kPatience) continue;
    most = TakenBytes(connection);
    slowest = file;
  }
  return slowest;
}

std::vector<Connections::Ended> Connections::Sweep(Clock::time_point now,
                                                   const UseOf& use,
                                                   int64_t resident) {
  const std::lock_guard lock(mutex_);
  ForgetCuts();
  Refresh(now, use);
  std::vector<Ended> ended;
  for (auto& [file, connection] : all_) {
    LookAtReading(now, &connection);
    const char* const why = LimitBeyond(now, resident, &connection);
    if (why == nullptr || !Reset(file, &connection)) continue;
    ended.push_back({connection.peer, why});
  }
  CutUncounted(&ended);
  const int slowest = FindSlowest(now);
  if (slowest >= 0 && Reset(slowest, &all_.at(slowest))) {
    ended.push_back({all_.at(slowest).peer,
                     "what comes is no message and takes long to read"});
  }
  return ended;
}

// True if the connection has no call, and none seems to be on its way.
bool Connections::IsIdle(Clock::time_point now, const UseOf& use,
                         const Connection& connection) const {
  if (connection.is_cut || connection.peer.empty()) return false;
  const Use used = use(connection.peer);
  if (used.calls > used.aside_calls) return false;
  // A connection that has had calls is likely to have more, or to be reading a
  // response.
  constexpr int kTrust = 10;
  const auto silence =
      (now - connection.heard_at) / (connection.had_calls ? kTrust : 1);
  if (silence <= Seconds(limits_.handshake_seconds)) return false;
  return connection.stray.bytes() == 0 || connection.stray.old_bytes() > 0;
}

int64_t Connections::EvictIdle(Clock::time_point now, const UseOf& use) {
  const std::lock_guard lock(mutex_);
  const bool wants_room = std::exchange(refused_before_, refused_) < refused_;
  if (!wants_room || !IsFull() || limits_.handshake_seconds == 0) return 0;
  Refresh(now, use);
  std::vector<std::tuple<bool, Clock::time_point, int>> idle;
  for (const auto& [file, connection] : all_) {
    if (!IsIdle(now, use, connection)) continue;
    idle.emplace_back(connection.had_calls, connection.heard_at, file);
  }
  std::sort(idle.begin(), idle.end());
  constexpr int64_t kPart = 16;
  const auto room = static_cast<size_t>(std::max<int64_t>(most_ / kPart, 1));
  idle.resize(std::min(idle.size(), room));
  return std::count_if(idle.begin(), idle.end(), [this](const auto& one) {
    const int file = std::get<int>(one);
    return Reset(file, &all_.at(file));
  });
}

int64_t Connections::CountStrayBytes(Clock::time_point now, const UseOf& use) {
  const std::lock_guard lock(mutex_);
  Refresh(now, use);
  int64_t stray = 0;
  for (const auto& [file, connection] : all_) stray += connection.stray.bytes();
  return stray;
}

int64_t Connections::read_bytes() const {
  const std::lock_guard lock(mutex_);
  return read_;
}

std::vector<Connections::Ended> Connections::CutGrowing(Clock::time_point now,
                                                        const UseOf& use,
                                                        bool all) {
  const int64_t least = all ? kSuspectBytes / 4 : kSuspectBytes;
  const std::lock_guard lock(mutex_);
  Refresh(now, use);
  std::vector<std::tuple<bool, int64_t, int>> grown;
  for (const auto& [file, connection] : all_) {
    const int64_t held = HeldBytes(connection);
    const bool may_be = all ? !connection.is_cut : IsSuspect(now, connection);
    if (!may_be || held <= least) continue;
    grown.emplace_back(connection.socket.unread > 0, held, file);
  }
  std::sort(grown.rbegin(), grown.rend());
  if (!all && grown.size() > 1) grown.resize(1);
  std::vector<Ended> ended;
  for (const auto& one : grown) {
    Connection& connection = all_.at(std::get<int>(one));
    if (!Reset(std::get<int>(one), &connection)) continue;
    ended.push_back({connection.peer,
                     "max_transport_bytes: memory grows, and what comes is no "
                     "message"});
  }
  return ended;
}

int64_t Connections::CutAll() {
  const std::lock_guard lock(mutex_);
  ForgetClosed();
  return std::count_if(all_.begin(), all_.end(), [this](auto& entry) {
    return Reset(entry.first, &entry.second);
  });
}

int64_t Connections::count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(all_.size());
}

int64_t Connections::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

// The calls of connections.

// Reads the counts of gRPC only if a call is open, or if bytes were read within
// the last seconds: gRPC may need seconds to parse them. The result is false if
// calls begin or end meanwhile.
bool Connections::CountCalls(Clock::time_point now, const UseOf& use,
                             Connection* connection) const {
  constexpr std::chrono::seconds kToParse(10);
  if (counts_of_ == nullptr) return false;
  CallCounts& counts = connection->counts;
  if (connection->read > connection->read_at_count) {
    connection->read_at_count = connection->read;
    connection->read_at = now;
  }
  const Use& before = connection->use;
  if (counts.begun > counts.ended || now - connection->read_at < kToParse) {
    counts = counts_of_(connection->peer);
  }
  const int64_t beyond = counts.begun - counts.ended - before.calls;
  connection->unheard = std::max<int64_t>(beyond, 0);
  if (beyond > 0) return false;
  const Use after = use(connection->peer);
  return after.entry == before.entry && after.begun == before.begun &&
         after.calls == before.calls;
}

int64_t Connections::UncountedCalls(const Connection& connection) {
  return connection.is_cut ? 0 : connection.unheard + connection.use.free_calls;
}

int64_t Connections::HeldBytes(const Connection& connection) {
  return TakenBytes(connection) + UncountedCalls(connection) * kCallBytes;
}

std::vector<Connections::Ended> Connections::CutUncounted(Clock::time_point now,
                                                          const UseOf& use) {
  const std::lock_guard lock(mutex_);
  Refresh(now, use);
  std::vector<Ended> ended;
  CutUncounted(&ended);
  return ended;
}

void Connections::CutUncounted(std::vector<Ended>* ended) {
  int64_t total = 0;
  std::vector<std::pair<int64_t, int>> most;
  for (const auto& [file, connection] : all_) {
    const int64_t calls = UncountedCalls(connection);
    total += calls;
    if (calls > 0) most.emplace_back(calls, file);
  }
  if (!Exceeds(total, limits_.max_unheard_calls)) return;
  std::sort(most.rbegin(), most.rend());
  for (const auto& [calls, file] : most) {
    if (!Exceeds(total, limits_.max_unheard_calls)) return;
    Connection& connection = all_.at(file);
    if (!Reset(file, &connection)) continue;
    total -= calls;
    ended->push_back({connection.peer, "max_unheard_calls"});
  }
}

}  // namespace bvhmill::server
