#pragma once

// A line on stderr that says how far a batch is: "12/58 clips, 4.2 MB,
// 40.1 MB/s, 0:12 left".

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "client/cli/ui/console.h"

namespace bvhmill::client {

enum class ProgressMode { kAuto, kAlways, kNever };

// How much of a clip in flight is done, in bytes of its file. Thread-safe.
using ClipProgress = std::atomic<int64_t>;

// Shows the line, ten times a second, until it is destroyed; then the line is
// gone. Thread-safe.
class Progress {
 public:
  // `bytes` is the size of all clips; 0 if it is not known.
  Progress(Console* console, ProgressMode mode, int64_t clips, int64_t bytes);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // A clip is begun, and its progress counts until Finish.
  void Begin(const ClipProgress* clip);
  // The clip is finished. The size of all clips counts `planned` bytes of it;
  // `done` bytes were converted.
  void Finish(const ClipProgress* clip, int64_t planned, int64_t done);

 private:
  void Run(const std::stop_token& stop);
  // The caller holds the mutex.
  void Show();
  std::string Line() const;

  Console& console_;
  const int64_t clips_;
  const std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  int64_t finished_ = 0;
  // Bytes of the clips that are finished.
  int64_t bytes_ = 0;
  // Bytes of all others.
  int64_t bytes_left_;
  std::set<const ClipProgress*> in_flight_;
  std::condition_variable_any tick_;
  // Last, so that everything it uses outlives it.
  std::jthread ticker_;
};

// "0:07", "12:05", "1:02:03".
std::string ClockTime(std::chrono::seconds time);

}  // namespace bvhmill::client
