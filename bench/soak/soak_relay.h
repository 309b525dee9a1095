#pragma once

// A relay between a caller and the server that breaks the connection after a
// while.

#include <chrono>
#include <string>
#include <thread>

namespace bvhmill::bench {

// Relays one connection to `server` (HOST:PORT of this machine), and resets
// both ends after the given time.
class BreakingRelay {
 public:
  BreakingRelay(const std::string& server, std::chrono::milliseconds time);
  // Waits for the end of the relay.
  ~BreakingRelay() = default;

  // The address of the relay.
  const std::string& address() const { return address_; }

 private:
  std::string address_;
  std::jthread thread_;
};

// A connected socket, which is reset when it is closed; -1 if there is none.
int DialToReset(const std::string& server);

}  // namespace bvhmill::bench
