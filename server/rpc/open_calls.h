#pragma once

// The open calls of each connection, as gRPC counts them for its debugging
// service (channelz). These counts include calls that the server does not know:
// gRPC reports a unary call only when its message is complete, and never the
// calls that it serves itself.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "server/net/connection_table.h"

namespace bvhmill::server {

// Thread-safe.
class OpenCalls {
 public:
  // The counts of the connection of `peer`; zeros if gRPC has none. REQUIRES:
  // the servers of the process have the argument GRPC_ARG_ENABLE_CHANNELZ.
  // Cost: about 10 us; for a new peer, 2 us for each connection, at most ten
  // times a second.
  Connections::CallCounts Of(const std::string& peer);

 private:
  using Clock = std::chrono::steady_clock;

  // Finds the sockets of all connections.
  void List();

  std::mutex mutex_;
  Clock::time_point listed_at_;
  // The number of the socket in channelz, by peer.
  std::unordered_map<std::string, intptr_t> sockets_;
};

}  // namespace bvhmill::server
