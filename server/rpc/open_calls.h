#pragma once

// The open calls of each connection, as gRPC counts them for its debugging
// service (channelz). gRPC hands over a unary call only when its message is
// complete, and reports no end of calls that it serves itself; its counts have
// all of them.

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
  // The counts of the connection of `peer`; zeros if gRPC has none. The servers
  // of the process must have the argument GRPC_ARG_ENABLE_CHANNELZ. Cost: some
  // 10 us; for a peer that is new, 2 us for each connection, at most ten times
  // a second.
  Connections::CallCounts Of(const std::string& peer);

 private:
  using Clock = std::chrono::steady_clock;

  // Finds the sockets of all connections.
  void List();

  std::mutex mutex_;
  Clock::time_point listed_at_;
  // The number by which gRPC knows the socket, by peer.
  std::unordered_map<std::string, intptr_t> sockets_;
};

}  // namespace bvhmill::server
