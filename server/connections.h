#pragma once

// The connections that there are. gRPC neither counts nor ends them.

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/config.h"

namespace bvhmill::server {

// Thread-safe.
class Connections {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Connections(const TransportLimits& limits);

  // As many there may be: max_connections, or less if so many files cannot be
  // open; 0 = any number.
  int64_t most() const { return most_; }

  // From here on `file` counts, until it is closed. False if there are most().
  bool Add(int file);

  // Ends the connection of `peer`, as gRPC names it: ipv4:ADDRESS:PORT,
  // ipv6:%5BADDRESS%5D:PORT. Its calls are then cancelled. False if there is
  // none by that name. Cost: a system call for each connection.
  bool Cut(const std::string& peer);

  // What is known of a peer: when a message came from it, or it was worked
  // for, and when a call of it ended, the epoch = not known; and its calls that
  // have not ended.
  struct Use {
    Clock::time_point heard_at;
    Clock::time_point ended_at;
    int64_t calls = 0;
  };
  using UseOf = std::function<Use(const std::string& peer)>;

  // Forgets those that are closed. Ends those over which too much has
  // come that is no message: see TransportLimits::max_stray_bytes; pings and
  // checks of health, of which nothing is heard, are allowed for. Returns the
  // peers of those. To be called every second or so.
  std::vector<std::string> Look(Clock::time_point now, const UseOf& use);

  // If Add has refused any since the last time, and there is still no room:
  // ends those that are of least use, a sixteenth of most(), and returns how
  // many. First the ones that have had no call since they came, for
  // handshake_seconds; then those that have had none for ten times as long,
  // which come back with their next call. Not those without a name.
  int64_t MakeRoom(Clock::time_point now, const UseOf& use);

  // Ends the one over which most has come that is no message, if that is
  // more than max_stray_bytes; returns its peer, or nothing.
  std::string CutLargest(Clock::time_point now, const UseOf& use);

  // How many there are, as of the last Look, and how many Add has refused.
  int64_t count() const;
  int64_t refused() const;

 private:
  struct Connection {
    // The kernel's name for the socket: the number of a file may be used again.
    uint64_t cookie = 0;
    // Empty if it has none of its own, or has been ended.
    std::string peer;
    // When something was last heard, or it came.
    Clock::time_point heard_at;
    bool had_calls = false;
    // When what is no message began to come, and what had come by then.
    Clock::time_point stray_since;
    int64_t bytes = 0;
  };

  static std::string Cut(int file, Connection* connection);
  bool IsFull() const;
  void ForgetClosed();
  bool IsIdle(int file, Clock::time_point now, const UseOf& use,
              Connection* connection) const;
  bool IsLate(Clock::time_point now, const Connection& connection) const;
  static int64_t StrayBytes(int file, Clock::time_point now, const UseOf& use,
                            Connection* connection);

  const TransportLimits limits_;
  const int64_t most_;
  mutable std::mutex mutex_;
  // By file.
  std::unordered_map<int, Connection> all_;
  int64_t refused_ = 0;
  // As of the last MakeRoom.
  int64_t refused_before_ = 0;
  Clock::time_point forgot_at_;
};

}  // namespace bvhmill::server
