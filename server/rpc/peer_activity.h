#pragma once

// Knows which peers are active. A peer is the other end of a connection, named
// by its address as gRPC reports it. The table of connections asks here before
// it cuts a connection. A peer that floods the server with calls is found here,
// too.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "server/net/connection_table.h"

namespace bvhmill::server {

// Kinds of calls, by the bytes of unfinished messages that they may hold.
enum class CallKind : uint8_t {
  // Has its whole message when it begins.
  kUnary,
  // Receives messages until it ends.
  kUpload,
  // The same as kUnary, but without a ticket: nothing else bounds the number
  // of such calls.
  kFree,
  // Sends messages now and then for hours, without a ticket. Its service
  // bounds the number.
  kWatch,
};

inline bool IsAside(CallKind kind) {
  return kind == CallKind::kFree || kind == CallKind::kWatch;
}

// Thread-safe.
class PeerActivity {
 public:
  using Clock = std::chrono::steady_clock;

  // `max_calls`: calls that a connection may have at once; 0 = no limit.
  explicit PeerActivity(int64_t max_calls) : max_calls_(max_calls) {}

  struct Call;
  // The activity of one peer.
  struct Peer {
    // Different for each entry of a table.
    int64_t entry = 0;
    int64_t calls = 0;
    // Running calls of the kind kFree; and of kFree and kWatch.
    int64_t free_calls = 0;
    int64_t aside_calls = 0;
    // Calls in a row that the peer cancelled before they were active.
    int64_t cancelled_early = 0;
    int64_t begun = 0;
    // Ended calls that may have left bytes of a message that never ended.
    int64_t left = 0;
    // Running calls of the kind kUpload.
    std::unordered_set<const Call*> uploads;
    // See MarkActive, MarkHeard.
    std::atomic<Clock::time_point> active_at{};
    std::atomic<int64_t> explained{0};
    // The time at which an active call ended last.
    Clock::time_point ended_at;
  };
  // One call of a peer, from Begin to End. Its owner keeps it in place.
  struct Call {
    // Both are in the table, which keeps them until End.
    const std::string* name = nullptr;
    Peer* peer = nullptr;
    CallKind kind = CallKind::kUnary;
    std::atomic<bool> is_active{false};
    // When its last message came whole, or it began; and when the server last
    // did not wait for its peer.
    std::atomic<Clock::time_point> heard_at{};
    std::atomic<Clock::time_point> busy_at{};
    // The peer had more than eight calls when this one began, this one
    // included.
    bool is_one_of_many = false;
  };

  // Counts a call of the peer whose metadata has `header_bytes`, and fills
  // `call`. True if the calls of the peer have just reached 2 x `max_calls` +
  // 2: the caller must cut its connection. Twice the limit, since a call that
  // the peer has seen end may still be counted here.
  bool Begin(const std::string& peer, CallKind kind, int64_t header_bytes,
             Call* call);

  // The call has ended; `is_cancelled`: it was cancelled, by its peer as a
  // rule. True if the peer has cancelled 2 x `max_calls` calls in a row before
  // they were active, and again after each further 2 x `max_calls`: the caller
  // must cut its connection, and then call Release. If it returns false, `call`
  // must not be used any more.
  bool End(Call* call, bool is_cancelled);
  void Release(Call* call);

  // Notes that a whole message of the call has come, which took `bytes` as
  // gRPC received it, that is: before it is decompressed. Takes no lock.
  static void MarkHeard(Call* call, int64_t bytes);
  // The same for a call that is no use of the server, such as a check of its
  // health: the peer is not active by it. Takes no lock.
  static void Explain(Call* call, int64_t bytes);
  // Notes that the server works for the call. Takes no lock.
  static void MarkActive(Call* call);
  // The same; and the server does not wait for the peer, whose next messages
  // may wait in the buffers of gRPC.
  static void MarkBusy(Call* call);

  // The use of a connection by `peer`. The zero value for an unknown peer.
  // Cost: O(uploads of the peer).
  Connections::Use UseOf(const std::string& peer) const;

  // Drops peers that have no calls and were not active in the last two seconds.
  // Call it about once a second. Cost: O(peers).
  void ForgetIdle();

 private:
  const int64_t max_calls_;
  mutable std::mutex mutex_;
  int64_t entries_ = 0;
  // By name.
  std::unordered_map<std::string, Peer> peers_;
};

}  // namespace bvhmill::server
