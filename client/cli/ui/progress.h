#pragma once

// The progress of a batch as a line on stderr: "12/58 clips, 4.2 MB, 40.1 MB/s,
// 0:12 left". Progress shows the line, and ProgressReceiver measures the clip
// that an engine converts.
//
//   Progress progress(&console, ProgressMode::kAuto, clips, bytes);
//   ClipProgress done = 0;
//   progress.Begin(&done);
//   ProgressReceiver receiver(&outputs, requests, 0, clip_bytes, &done);
//   ... convert the clip into `receiver` ...
//   progress.Finish(&done, clip_bytes, clip_bytes);

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "client/cli/ui/console.h"

namespace bvhmill::client {

// kAuto: shows the line if stderr is a terminal.
enum class ProgressMode { kAuto, kAlways, kNever };

// The number of bytes of a clip's file that have been converted, or uploaded by
// `job submit`. Thread-safe.
using ClipProgress = std::atomic<int64_t>;

// Updates the line ten times a second. The destructor removes it. Thread-safe.
class Progress {
 public:
  // `bytes` is the size of all clips; 0 if it is unknown.
  Progress(Console* console, ProgressMode mode, int64_t clips, int64_t bytes);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Starts to count a clip. `clip` is read until Finish, and must live until
  // then.
  void Begin(const ClipProgress* clip);
  // Ends the count of a clip. `planned` is its share of the constructor's
  // `bytes`; `done` is the number of bytes that were converted.
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
  // Last, so that the members that it uses outlive it.
  std::jthread ticker_;
};

// "0:07", "12:05", "1:02:03".
std::string ClockTime(std::chrono::seconds time);

// Measures the progress of a clip by its outputs, and forwards all calls to
// another receiver. Each output is an equal share of the progress. Within an
// output, progress counts bytes or lines, if their number is known. Not
// thread-safe.
class ProgressReceiver final : public OutputReceiver {
 public:
  // `progress` moves from `begin` to `end`. The references are borrowed.
  ProgressReceiver(OutputReceiver* receiver,
                   std::span<const OutputRequest> requests, int64_t begin,
                   int64_t end, ClipProgress* progress)
      : receiver_(*receiver),
        requests_(requests),
        begin_(begin),
        end_(end),
        progress_(*progress) {}

  absl::Status Hold(int64_t bytes) override { return receiver_.Hold(bytes); }
  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;

 private:
  // The bytes, or lines, of an output; 0 if they are not known.
  struct Expected {
    bool counts_lines = false;
    int64_t count = 0;
  };

  OutputReceiver& receiver_;
  std::span<const OutputRequest> requests_;
  const int64_t begin_;
  const int64_t end_;
  ClipProgress& progress_;
  std::vector<Expected> expected_;
  // The output that is made, and its bytes or lines so far.
  size_t output_ = 0;
  int64_t made_ = 0;
};

}  // namespace bvhmill::client
