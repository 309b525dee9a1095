#pragma once

// The progress of a batch as a line on stderr: "12/58 clips, 4.2 MB, 40.1 MB/s,
// 0:12 left".

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

// Bytes of the file of a clip that are done. Thread-safe.
using ClipProgress = std::atomic<int64_t>;

// Updates the line ten times a second. The destructor removes it. Thread-safe.
class Progress {
 public:
  // `bytes` is the size of all clips; 0 if it is unknown.
  Progress(Console* console, ProgressMode mode, int64_t clips, int64_t bytes);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // A clip begins; its progress counts until Finish.
  void Begin(const ClipProgress* clip);
  // A clip is finished: `done` bytes were converted, and `planned` bytes are
  // its part of the size of all clips.
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
  // Bytes of all other clips.
  int64_t bytes_left_;
  std::set<const ClipProgress*> in_flight_;
  std::condition_variable_any tick_;
  // Last, so that everything it uses outlives it.
  std::jthread ticker_;
};

// "0:07", "12:05", "1:02:03".
std::string ClockTime(std::chrono::seconds time);

}  // namespace bvhmill::client
