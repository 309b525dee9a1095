#pragma once

// A connection that breaks: what is between a caller and the server, for a
// while.

#include <chrono>
#include <string>
#include <thread>

namespace bvhmill::bench {

// Carries one connection to `server` (HOST:PORT of this machine), and resets
// both ends of it after that time.
class BreakingRelay {
 public:
  BreakingRelay(const std::string& server, std::chrono::milliseconds time);
  // Waits for it.
  ~BreakingRelay() = default;

  // Where it listens.
  const std::string& address() const { return address_; }

 private:
  std::string address_;
  std::jthread thread_;
};

// A connected socket, which is reset when it is closed; -1 if there is none.
int DialToReset(const std::string& server);

}  // namespace bvhmill::bench
