#pragma once

// The table of open connections. gRPC does not limit its connections, so the
// server does: it refuses connections above max_connections, and those of one
// address above max_connections_per_address. It cuts a connection, that is, it
// resets the connection at once, if
//   - its peer does not accept the bytes that are sent to it (Sweep),
//   - the caller names its peer (Reset),
//   - the server stops (CutAll).
//
//   if (!connections.Add(file)) close(file);
//   for (const std::string& peer : connections.Sweep(now)) { ... }

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/app/config.h"
#include "server/net/socket.h"

namespace bvhmill::server {

// Connections that Add has refused since the start, by the limit.
struct RefusedConnections {
  int64_t max_connections = 0;
  int64_t max_connections_per_address = 0;
};

// Thread-safe.
class Connections {
 public:
  using Clock = std::chrono::steady_clock;

  // `send_timeout_seconds`: see Sweep; 0 = no timeout.
  explicit Connections(const TransportLimits& limits,
                       int64_t send_timeout_seconds = 0);

  // The most connections: max_connections, or less if the limit on open files
  // is lower; 0 = no limit.
  int64_t most() const { return most_; }

  // Adds the socket `file`, which counts until it is closed, and sets its send
  // timeout. False if there are most() connections, or too many of its address;
  // 127.0.0.1, ::1 and Unix sockets have no limit of the second kind.
  bool Add(int file);

  // Cuts the connection whose PeerName is `peer`. gRPC then cancels its calls.
  // False if there is no such connection.
  bool Reset(const std::string& peer);

  // The bytes that have come over the connection of `peer`, as of the last
  // Sweep; 0 if they are not known.
  int64_t ReceivedBytes(const std::string& peer) const;

  // Forgets closed connections. Cuts those that are stalled, and returns their
  // peers (empty for a peer without an address of its own): for
  // `send_timeout_seconds`, the peer accepted less than 1 KiB a second, and not
  // all of the bytes that waited when that time began. Call it about once a
  // second. Cost: some system calls for each connection.
  std::vector<std::string> Sweep(Clock::time_point now);

  // Cuts every connection that is left, and returns how many. Call it again
  // while the server waits for them to close: a cut fails if the system has no
  // free file.
  int64_t CutAll();

  // The number of open connections (a closed one may count until the next
  // Sweep).
  int64_t count() const;
  RefusedConnections refused() const;

 private:
  // Where the send queue stood when the peer last kept up.
  struct SendMark {
    Clock::time_point at;
    int64_t accepted = 0;
    int64_t unsent = 0;
  };
  struct Connection {
    // As of the last ForgetClosed; the cookie as of Add.
    SocketState socket;
    // The PeerName, and its part without the port; empty if it has none of its
    // own.
    std::string peer;
    std::string address;
    bool is_cut = false;
    SendMark send;
  };
  using Table = std::unordered_map<int, Connection>;

  // All of these with the mutex held.
  bool IsFull() const;
  bool IsAddressFull(const std::string& address) const;
  void ForgetClosed();
  Table::iterator Erase(Table::iterator entry);
  static bool Cut(int file, Connection* connection);
  bool IsStalled(Clock::time_point now, Connection* connection) const;

  const TransportLimits limits_;
  const int64_t send_timeout_seconds_;
  const int64_t most_;
  mutable std::mutex mutex_;
  // By file.
  Table all_;
  // The files of peers that have names.
  std::unordered_map<std::string, int> peers_;
  // The number of connections of each address.
  std::unordered_map<std::string, int64_t> addresses_;
  RefusedConnections refused_;
  Clock::time_point forgot_at_;
};

}  // namespace bvhmill::server
