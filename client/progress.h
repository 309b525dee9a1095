#pragma once

// A line on stderr that says how far a batch is: "12/58 clips, 4.2 MB,
// 40.1 MB/s".

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "client/console.h"

namespace bvhmill::client {

enum class ProgressMode { kAuto, kAlways, kNever };

// Shows the line, ten times a second, until it is destroyed; then the line is
// gone. Thread-safe.
class Progress {
 public:
  Progress(Console* console, ProgressMode mode, int64_t clips);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One more clip is finished, of so many bytes of text.
  void Add(int64_t bytes);

 private:
  void Run(const std::stop_token& stop);
  void Show();

  Console& console_;
  const int64_t clips_;
  const std::chrono::steady_clock::time_point start_;
  std::atomic<int64_t> done_ = 0;
  std::atomic<int64_t> bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable_any tick_;
  // Last, so that everything it uses outlives it.
  std::jthread ticker_;
};

}  // namespace bvhmill::client
