#pragma once

// An honest client during an attack. It makes a call of 100 KB every 100 ms
// over its own connection, and repeats a call that is refused for now.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace bvhmill::attack {

struct Latencies {
  int64_t calls = 0;
  // Calls that got an error, wrong outputs, or no answer in 60 s.
  int64_t failed = 0;
  // Seconds until the outputs came; for failed calls, until the caller stopped
  // waiting. A call that waits for the one before counts from its due time.
  double median = 0;
  double worst = 0;
};

class HonestCaller {
 public:
  // Makes calls until Stop.
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
