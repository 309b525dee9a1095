#pragma once

// The table of open connections. gRPC does not limit its connections, so the
// server does: it refuses connections above max_connections, and cuts those
// that break a limit. To cut a connection is to reset it at once. The server
// cuts a connection if
//   - its peer does not accept the bytes that are sent to it (Sweep),
//   - it has sent too many bytes that belong to no complete message (Sweep),
//   - its calls do not reach the server in time, or too many of them do not
//     (Sweep, CutUncounted),
//   - it has no call, and the table is full (EvictIdle),
//   - its bytes are the most likely reason why memory grows (CutGrowing),
//   - the caller names its peer (Reset),
//   - the server stops (CutAll).
//
//   if (!connections.Add(file)) close(file);
//   for (const auto& cut : connections.Sweep(now, use_of, resident)) { ... }

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/app/config.h"
#include "server/net/stray_bytes.h"

namespace bvhmill::server {

// Thread-safe.
class Connections {
 public:
  using Clock = std::chrono::steady_clock;

  // How a peer uses its connection, and a function that returns this for a
  // PeerName.
  using Use = PeerUse;
  using UseOf = std::function<Use(const std::string& peer)>;
  using CallCounts = server::CallCounts;
  using CountsOf = std::function<CallCounts(const std::string& peer)>;

  // `send_timeout_seconds`: see Sweep; 0 = no timeout. `counts_of`: the calls
  // of a peer as gRPC counts them; null = not known.
  explicit Connections(const TransportLimits& limits,
                       int64_t send_timeout_seconds = 0,
                       CountsOf counts_of = nullptr);

  // The most connections: max_connections, or less if the limit on open files
  // is lower; 0 = no limit.
  int64_t most() const { return most_; }

  // Adds the socket `file`, which counts until it is closed, and sets its send
  // timeout. Returns false if there are most() connections.
  bool Add(int file);

  // Cuts the connection whose PeerName is `peer`. gRPC then cancels its calls.
  // False if there is no such connection. Cost: O(connections).
  bool Reset(const std::string& peer);

  // True if the connection of `peer` was cut within the last minute. gRPC may
  // still deliver calls that it had read before.
  bool WasReset(const std::string& peer) const;
  // True if any connection was cut within the last minute.
  bool has_cuts() const { return has_cuts_; }

  // A connection that was cut, and the reason.
  struct Ended {
    // Empty for a peer without an address of its own.
    std::string peer;
    // The name of the limit, and details.
    const char* why;
  };

  // Forgets closed connections, and cuts those that exceed a limit:
  //   idle_seconds: for `send_timeout_seconds`, the peer accepted less than 1
  //     KiB a second, and not all of the bytes that waited when that time
  //     began.
  //   max_stray_bytes: the connection has more stray bytes (see StrayBytes)
  //     than this limit, and one of two conditions holds. Either more than the
  //     limit came longer ago than max_request_seconds. Or gRPC has read more
  //     of them than the process has in memory (`resident`; 0 = not known):
  //     they are then not kept, and no message can come of them. An upload that
  //     the server does not read may have 5 MiB more, in the buffers of gRPC.
  //     In addition, Sweep looks at connections that gRPC has read slowly for
  //     some seconds although more bytes wait. It cuts the one of them with the
  //     most stray bytes: gRPC reads messages fast, but some sequences of
  //     frames cost it seconds.
  //   max_request_seconds: a call began longer ago than this limit and is not
  //     in the registry of calls. gRPC reports a unary call only when its whole
  //     message has come.
  //   max_unheard_calls: all connections together have more uncounted calls
  //     than this limit. A call is uncounted if it is not in the registry, or
  //     if it is unary and has no Ticket (limits/admission.h). The connections
  //     with the most such calls are cut.
  // Call it about once a second. `use` is called with the table locked and must
  // not call the table. Cost: some system calls for each connection.
  static constexpr int64_t kAnyMemory = std::numeric_limits<int64_t>::max();
  std::vector<Ended> Sweep(Clock::time_point now, const UseOf& use,
                           int64_t resident = kAnyMemory);

  // Cuts the least used connections if Add has refused a connection since the
  // last call and the table is still full. Returns how many it cut, at most a
  // sixteenth of most(), or one. First come connections that had no call in the
  // handshake_seconds since they opened; then those whose last call was ten
  // times as long ago: their clients reconnect with the next call. Calls about
  // the state of the server do not count. A connection stays if it has no peer
  // name, or if a message seems to be on its way.
  int64_t EvictIdle(Clock::time_point now, const UseOf& use);

  // Applies max_unheard_calls as Sweep does, and returns the connections that
  // were cut. Call it as soon as memory grows: a peer can begin such calls much
  // faster than Sweep runs. Cost: as Sweep.
  std::vector<Ended> CutUncounted(Clock::time_point now, const UseOf& use);

  // The stray bytes of all connections. Cost: as Sweep.
  int64_t CountStrayBytes(Clock::time_point now, const UseOf& use);

  // The bytes that the process has read from all connections since the start,
  // as of the last call of a function that takes `now`.
  int64_t read_bytes() const;

  // Cuts the connection that is the most likely reason why memory grows, and
  // returns it. A candidate holds more than 256 KiB: the sum of its stray bytes
  // that gRPC has read, and of the memory of its uncounted calls (see Sweep). A
  // candidate with bytes that gRPC has not read yet comes first: gRPC reads the
  // bytes of an honest message as fast as they come. Then the one that holds
  // the most comes first. A connection is no candidate if its last message came
  // within two seconds, and if it then had at most 16 MiB of stray bytes, plus
  // 21 MiB for each running upload. With `all`, cuts every connection that
  // holds more than 64 KiB.
  std::vector<Ended> CutGrowing(Clock::time_point now, const UseOf& use,
                                bool all);

  // Cuts every connection that is left, and returns how many. Call it again
  // while the server waits for them to close: a cut fails if the system has no
  // free file.
  int64_t CutAll();

  // The number of open connections (a closed one may count until the next
  // Sweep), and the number that Add has refused.
  int64_t count() const;
  int64_t refused() const;

 private:
  // Where the send queue stood when the peer last kept up.
  struct SendMark {
    Clock::time_point at;
    int64_t accepted = 0;
    int64_t unsent = 0;
  };
  struct Connection {
    Connection(std::chrono::seconds patience, Clock::time_point now)
        : stray(patience, now) {}

    // As of the last Refresh; the cookie as of Add.
    SocketState socket;
    // The PeerName; empty if it has none of its own.
    std::string peer;
    bool is_cut = false;
    // When the peer was last active, or the connection came.
    Clock::time_point heard_at;
    bool had_calls = false;
    StrayBytes stray;
    // As of the last Refresh. `unheard`: calls that gRPC knows and the registry
    // does not.
    Use use;
    CallCounts counts;
    int64_t unheard = 0;
    // The value of `read` as of the last Refresh, and when it last grew.
    int64_t read_at_count = 0;
    Clock::time_point read_at;
    // Bytes that the program has read: as counted in read_, and as of the last
    // Sweep.
    int64_t read = 0;
    int64_t read_at_look = 0;
    // When gRPC last read all that came, or much of it.
    Clock::time_point read_well_at;
    SendMark send;
  };

  // All of these with the mutex held.
  bool IsFull() const;
  void ForgetClosed();
  // ForgetClosed, and updates the other entries.
  void Refresh(Clock::time_point now, const UseOf& use);
  // Sets `counts` and `unheard`. True if every call is in the registry.
  bool CountCalls(Clock::time_point now, const UseOf& use,
                  Connection* connection) const;
  void CountRead(Connection* connection);
  bool Reset(int file, Connection* connection);
  void ForgetCuts();
  bool IsIdle(Clock::time_point now, const UseOf& use,
              const Connection& connection) const;
  bool IsStalled(Clock::time_point now, Connection* connection) const;
  // The stray bytes that gRPC has read.
  static int64_t TakenBytes(const Connection& connection);
  // Calls that nothing else counts; and their memory plus TakenBytes.
  static int64_t UncountedCalls(const Connection& connection);
  static int64_t HeldBytes(const Connection& connection);
  void CutUncounted(std::vector<Ended>* ended);
  // True if it is not cut, and no message came a moment ago.
  static bool IsSuspect(Clock::time_point now, const Connection& connection);
  static void LookAtReading(Clock::time_point now, Connection* connection);
  // The file of the connection to cut because gRPC reads it slowly; -1 = none.
  int FindSlowest(Clock::time_point now) const;
  // The reason to cut it; null if it is within its limits.
  const char* LimitBeyond(Clock::time_point now, int64_t resident,
                          Connection* connection) const;

  const TransportLimits limits_;
  const int64_t send_timeout_seconds_;
  const int64_t most_;
  const CountsOf counts_of_;
  mutable std::mutex mutex_;
  // By file.
  std::unordered_map<int, Connection> all_;
  int64_t refused_ = 0;
  int64_t read_ = 0;
  // As of the last EvictIdle.
  int64_t refused_before_ = 0;
  Clock::time_point forgot_at_;
  // When connections were cut, by peer. It has a mutex of its own because each
  // call asks for it.
  mutable std::mutex cuts_mutex_;
  std::unordered_map<std::string, Clock::time_point> cuts_;
  std::atomic<bool> has_cuts_{false};
};

}  // namespace bvhmill::server
