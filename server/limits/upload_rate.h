#pragma once

// The speed at which a peer uploads a clip: finds peers that are silent, or too
// slow. Only time in which the server waits for the peer counts.
//
//   UploadRate rate(std::chrono::seconds(60), /*bytes_per_second=*/1024);
//   rate.Reset();              // A clip begins.
//   rate.Wait(now);            // The server starts a read.
//   rate.OnBytes(now, bytes);  // The read is done.
//   rate.Check(now);           // Once a second.

#include <chrono>
#include <cstdint>

namespace bvhmill::server {

// Not thread-safe.
class UploadRate {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Verdict { kGood, kIdle, kSlow };

  // A peer that sends nothing for `patience` is idle. A peer that sends fewer
  // than `bytes_per_second` on average, over `patience` of waiting, is slow; 0
  // = no peer is slow. If `patience` is 0, no peer is idle or slow.
  UploadRate(std::chrono::seconds patience, int64_t bytes_per_second)
      : patience_(patience), bytes_per_second_(bytes_per_second) {}

  // A clip begins: forgets earlier bytes and waits.
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
  // The current span: the time of its waits that are over, and its bytes.
  Clock::duration waited_{0};
  int64_t bytes_ = 0;
};

}  // namespace bvhmill::server
