#pragma once

// Whether a peer goes on with what it uploads fast enough.

#include <chrono>
#include <cstdint>

namespace bvhmill::server {

// Watches the time for which a server waits for a peer within a clip, and what
// comes in it. Time that the server takes for itself does not count. Not
// thread-safe.
class UploadRate {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Verdict { kGood, kIdle, kSlow };

  // Nothing may come for `patience` at most, 0 = for ever; and over as long a
  // time of waiting `bytes_per_second` must come on average, 0 = any.
  UploadRate(std::chrono::seconds patience, int64_t bytes_per_second)
      : patience_(patience), bytes_per_second_(bytes_per_second) {}

  // Nothing that came before counts: a clip begins.
  void Reset();
  // The server waits for the peer, until OnBytes.
  void Wait(Clock::time_point now);
  void OnBytes(Clock::time_point now, int64_t bytes);
  // What is to be said of the peer; ask within a clip, every second or so.
  Verdict Judge(Clock::time_point now);

 private:
  bool IsWaiting() const { return since_ != Clock::time_point(); }
  bool IsEnough() const;

  std::chrono::seconds patience_;
  int64_t bytes_per_second_;
  // Since when it waits; the epoch = it does not.
  Clock::time_point since_;
  // Of the span that is judged next: the waits that are over, and what came.
  Clock::duration waited_{0};
  int64_t bytes_ = 0;
};

}  // namespace bvhmill::server
