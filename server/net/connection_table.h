#pragma once

// The table of open connections. gRPC neither counts nor ends them.
//
// A connection is cut, that is reset at once, when
//   - its peer accepts nothing of what waits to be sent to it (Sweep),
//   - much came over it that became no message in time (Sweep),
//   - its calls do not begin in time, or are too many of them (Sweep),
//   - it has no call and others find no room (EvictIdle),
//   - memory grows by what comes over it (CutGrowing),
//   - the server ends (CutAll).

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
#include "server/net/socket_state.h"
#include "server/net/stray_bytes.h"

namespace bvhmill::server {

// Thread-safe.
class Connections {
 public:
  using Clock = std::chrono::steady_clock;

  using Use = PeerUse;
  using UseOf = std::function<Use(const std::string& peer)>;
  using CallCounts = server::CallCounts;
  using CountsOf = std::function<CallCounts(const std::string& peer)>;

  // `send_timeout_seconds`: see Sweep; 0 = a peer may accept nothing for ever.
  // `counts_of`: the calls of a peer as gRPC counts them; null = not known.
  explicit Connections(const TransportLimits& limits,
                       int64_t send_timeout_seconds = 0,
                       CountsOf counts_of = nullptr);

  // Capacity: max_connections, reduced if the limit on open files is lower; 0 =
  // no limit.
  int64_t most() const { return most_; }

  // From here on `file` counts, until it is closed. False if there are most().
  bool Add(int file);

  // Cuts the connection of `peer`, by its PeerName. Its calls are then
  // cancelled. False if there is none by that name. Cost: O(connections).
  bool Reset(const std::string& peer);

  // True if the connection of `peer` was cut within the last minute. gRPC may
  // still hand over calls that it has read of it.
  bool WasReset(const std::string& peer) const;
  // Any was.
  bool has_cuts() const { return has_cuts_; }

  // A connection that was cut, and the reason.
  struct Ended {
    // Empty for a peer without an address of its own.
    std::string peer;
    // The name of the limit, and more.
    const char* why;
  };

  // Forgets the connections that are closed and cuts those that are beyond a
  // limit:
  //   idle_seconds: the peer accepted less of what waits to be sent to it than
  //     1 KiB a second, or all of it if that is less, over
  //     `send_timeout_seconds`;
  //   max_stray_bytes: more than these came more than max_request_seconds ago
  //     and are no message; or more than `resident`, the bytes that the program
  //     has in memory (0 = not known): no message can come of it. See
  //     StrayBytes. An upload that the server does not read may have 5 MiB more
  //     in the buffers of gRPC. Of the connections that gRPC has read slowly
  //     for some seconds, although more of them waits to be read, the one over
  //     which most came is cut at once: gRPC reads messages at any speed, but
  //     some sequences of frames cost it seconds.
  //   max_request_seconds: a call began before that and is not in the registry
  //     of calls. gRPC tells of a unary call when its message has come.
  //   max_unheard_calls: all connections together have more calls that are not
  //     in the registry or have no ticket. Those with most such calls are cut.
  // To be called about once a second. Cost: some system calls for each
  // connection.
  static constexpr int64_t kAnyMemory = std::numeric_limits<int64_t>::max();
  std::vector<Ended> Sweep(Clock::time_point now, const UseOf& use,
                           int64_t resident = kAnyMemory);

  // If Add has refused any since the last time, and there is still no room:
  // ends those that are of least use, a sixteenth of most(), and returns how
  // many. First the ones that have had no call since they came, for
  // handshake_seconds; then those that have had none for ten times as long,
  // which come back with their next call. Not those without a name.
  int64_t EvictIdle(Clock::time_point now, const UseOf& use);

  // Cuts the connections with most calls beyond max_unheard_calls, as Sweep
  // does, and returns those that were cut. To be called as soon as memory
  // grows: such calls can be made much faster than a Sweep comes. Cost: as
  // Sweep.
  std::vector<Ended> CutUncounted(Clock::time_point now, const UseOf& use);

  // Bytes over all connections that came and are no message yet. Cost: as
  // Sweep.
  int64_t CountStrayBytes(Clock::time_point now, const UseOf& use);

  // Bytes that the program has read from all connections since the start, as
  // of the last time that one of these functions looked.
  int64_t read_bytes() const;

  // Cuts the connection that is the most likely reason for memory that grows:
  // one over which more than 256 KiB came that became no message, or which has
  // calls of this size that are not in the registry or have no ticket; first
  // one that sends faster than gRPC can read it, as unfinished messages never
  // do, then the one with most. Not one of which a message was heard within two
  // seconds, when at most 16 MiB was left that was no message, and 21 MiB for
  // each upload that runs. With `all`, every one over which more than 64 KiB
  // came. Returns those that were cut.
  std::vector<Ended> CutGrowing(Clock::time_point now, const UseOf& use,
                                bool all);

  // Cuts every connection that is left, and returns how many. To be called
  // again while the server waits for them to close: a cut can fail while the
  // system has no file to spare.
  int64_t CutAll();

  // Open connections as of the last Sweep, and the number that Add has refused.
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

    // As of the last Refresh; the cookie is from Add.
    SocketState socket;
    // Empty if it has none of its own.
    std::string peer;
    bool is_cut = false;
    // When something was last heard, or it came.
    Clock::time_point heard_at;
    bool had_calls = false;
    StrayBytes stray;
    // As of the last Refresh. `unheard`: calls that gRPC has and the registry
    // has not.
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
  // ForgetClosed, and brings up to date what is known of the others.
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
  // Bytes that became no message although gRPC has read them.
  static int64_t TakenBytes(const Connection& connection);
  // Calls that nothing else counts, and their memory with TakenBytes.
  static int64_t UncountedCalls(const Connection& connection);
  static int64_t HeldBytes(const Connection& connection);
  void CutUncounted(std::vector<Ended>* ended);
  // It is not cut, and no message of it was heard a moment ago.
  static bool IsSuspect(Clock::time_point now, const Connection& connection);
  static void LookAtReading(Clock::time_point now, Connection* connection);
  // The file of the connection to cut because gRPC reads it slowly; -1 = none.
  int FindSlowest(Clock::time_point now) const;
  // Why it is to be cut; null if it is within its limits.
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
  // By peer, when they were cut. With a mutex of its own, since calls ask.
  mutable std::mutex cuts_mutex_;
  std::unordered_map<std::string, Clock::time_point> cuts_;
  std::atomic<bool> has_cuts_{false};
};

}  // namespace bvhmill::server
