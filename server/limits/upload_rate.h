#pragma once

// The speed at which a peer uploads a clip: finds peers that are silent, or too
// slow. Only time in which the server waits for the peer counts.
//
//   UploadRate rate(std::chrono::seconds(60), /*bytes_per_second=*/1024);
//   rate.Reset();               // A clip begins.
//   rate.Wait(now);             // The server starts a read.
//   rate.OnBytes(now, bytes);   // The read is done.
//   rate.Check(now, received);  // Once a second.
//
// gRPC reports whole messages only, and one may take minutes on a slow line. So
// the bytes that come over the connection meanwhile count, too, whichever call
// they are for.

#include <chrono>
#include <cstdint>

namespace bvhmill::server {

// Not thread-safe.
class UploadRate {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Verdict { kGood, kIdle, kSlow };

  // A peer that sends nothing for `timeout` is idle; each `bytes_per_second`
  // that come within a message buy it a second. A peer that sends fewer than
  // `bytes_per_second` on average, over `timeout` of waiting, is slow; 0 = no
  // peer is slow, and one that sends any bytes is not idle. If `timeout` is 0,
  // no peer is idle or slow.
  UploadRate(std::chrono::seconds timeout, int64_t bytes_per_second)
      : timeout_(timeout), bytes_per_second_(bytes_per_second) {}

  // A clip begins: forgets earlier bytes and waits.
  void Reset();
  // The server waits for the peer from `now` until OnBytes.
  void Wait(Clock::time_point now);
  // `bytes` came; the server does not wait any more.
  void OnBytes(Clock::time_point now, int64_t bytes);
  // The verdict on the peer. Call it within a clip, about once a second.
  // `received`: the bytes that have come over its connection; 0 = not known.
  Verdict Check(Clock::time_point now, int64_t received);

 private:
  bool IsWaiting() const { return since_ != Clock::time_point(); }
  bool IsEnough(int64_t received) const;
  void Look(Clock::time_point now, int64_t received);

  std::chrono::seconds timeout_;
  int64_t bytes_per_second_;
  // The time at which the wait began; the epoch = the server does not wait.
  Clock::time_point since_;
  // The current span: the time of its waits that are over, and its bytes.
  Clock::duration waited_{0};
  int64_t bytes_ = 0;
  // Received bytes as of the last Check, when the wait began, and when the wait
  // or the span began, whichever is later.
  int64_t received_ = 0;
  int64_t received_at_wait_ = 0;
  int64_t received_at_span_ = 0;
  // The wait that these belong to.
  Clock::time_point looked_since_;
};

}  // namespace bvhmill::server
