#pragma once

// An honest client beside an attack: a call of 100 KB every 100 ms over a
// connection of its own, which it repeats when it is told to come back later.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace bvhmill::attack {

struct Latencies {
  int64_t calls = 0;
  // Calls that got another answer than the outputs, or none in 60 s.
  int64_t failed = 0;
  // Until the outputs came, in seconds; of failed calls until they were given
  // up. A call that had to wait for the one before counts from when it was due.
  double median = 0;
  double worst = 0;
};

class HonestCaller {
 public:
  // Calls until Stop.
  explicit HonestCaller(std::string address);

  // Waits for the call that runs. Call once.
  Latencies Stop();

 private:
  void Run();
  // True if the outputs came.
  bool CallOnce() const;

  const std::string address_;
  std::string text_;
  std::atomic<bool> stopped_{false};
  std::vector<double> seconds_;
  int64_t failed_ = 0;
  std::thread thread_;
};

}  // namespace bvhmill::attack
