#pragma once

// The speed of an upload.

#include <chrono>
#include <cstdint>

namespace bvhmill::server {

// Measures how long the server waits for a peer within a clip, and how many
// bytes come in that time. Time in which the server does not read is not
// counted. Not thread-safe.
class UploadRate {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Verdict { kGood, kIdle, kSlow };

  // The peer may be silent for `patience`; 0 = for ever, at any rate. Over each
  // `patience` of waiting, `bytes_per_second` must come on average; 0 = any
  // number.
  UploadRate(std::chrono::seconds patience, int64_t bytes_per_second)
      : patience_(patience), bytes_per_second_(bytes_per_second) {}

  // A clip begins: earlier bytes and waits do not count.
  void Reset();
  // The server waits for the peer from `now` until OnBytes.
  void Wait(Clock::time_point now);
  // `bytes` came; the server does not wait any more.
  void OnBytes(Clock::time_point now, int64_t bytes);
  // The verdict on the peer. Call it within a clip, about once a second.
  Verdict Check(Clock::time_point now);

 private:
  bool IsWaiting() const { return since_ != Clock::time_point(); }
  bool IsEnough() const;

  std::chrono::seconds patience_;
  int64_t bytes_per_second_;
  // The time at which the wait began; the epoch = the server does not wait.
  Clock::time_point since_;
  // The span that is checked next: its waits that are over, and its bytes.
  Clock::duration waited_{0};
  int64_t bytes_ = 0;
};

}  // namespace bvhmill::server
