#pragma once

// The thread that does what recurs: it lets the memory guard look every 20 ms,
// and once a second tells the calls that time has passed, looks at the
// connections and drops tables' entries that are out of use.

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>
#include <vector>

#include "server/limits/admission.h"
#include "server/limits/memory_guard.h"
#include "server/net/connection_table.h"
#include "server/observe/log.h"
#include "server/rpc/call_registry.h"
#include "server/rpc/peer_activity.h"

namespace bvhmill::server {

class Housekeeping {
 public:
  // All of these must outlive the thread.
  struct Parts {
    Log& log;
    Admission& admission;
    Connections& connections;
    PeerActivity& peers;
    CallRegistry& calls;
    MemoryGuard& memory_guard;
  };

  // Starts the thread; the destructor ends it.
  explicit Housekeeping(const Parts& parts);

  // Cuts every connection once `patience` is over, and again every 20 ms while
  // any is left: gRPC ends only when it has no connection. Any thread.
  void CutConnectionsAfter(std::chrono::milliseconds patience);

 private:
  using Clock = std::chrono::steady_clock;

  void Run(const std::stop_token& stop);
  void CutIfDue();
  void EverySecond();
  void LookAtConnections(Clock::time_point now);

  const Parts parts_;
  // The latest time there is = never.
  std::atomic<Clock::time_point> cut_at_{Clock::time_point::max()};
  // The last member: it uses the others.
  std::jthread thread_;
};

// Writes one line for each connection that was cut.
void LogCuts(const std::vector<Connections::Ended>& cuts, const Log& log);

}  // namespace bvhmill::server
