#pragma once

// Knows which peers are active. A peer is the other end of a connection, named
// by its address as gRPC reports it. The table of connections asks here before
// it cuts an idle connection. A peer that floods the server with calls is found
// here, too.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "server/net/connection_table.h"

namespace bvhmill::server {

// Thread-safe.
class PeerActivity {
 public:
  using Clock = std::chrono::steady_clock;

  // `max_calls`: calls that a connection may have at once; 0 = no limit.
  explicit PeerActivity(int64_t max_calls) : max_calls_(max_calls) {}

  // The activity of one peer.
  struct Peer {
    int64_t calls = 0;
    // Calls in a row that the peer cancelled before they were active.
    int64_t cancelled_early = 0;
    // See MarkActive.
    std::atomic<Clock::time_point> active_at{};
    // The time at which an active call ended last.
    Clock::time_point ended_at;
  };
  // One call of a peer, from Begin to End. Its owner keeps it in place.
  struct Call {
    // Both are in the table, which keeps them until End.
    const std::string* name = nullptr;
    Peer* peer = nullptr;
    std::atomic<bool> is_active{false};
    // The peer had more than eight calls when this one began, this one
    // included.
    bool is_one_of_many = false;
  };

  // Counts a call of the peer, and fills `call`. True if the calls of the peer
  // have just reached 2 x `max_calls` + 2: the caller must cut its connection.
  // Twice the limit, since a call that the peer has seen end may still be
  // counted here.
  bool Begin(const std::string& peer, Call* call);

  // The call has ended; `is_cancelled`: it was cancelled, by its peer as a
  // rule. True if the peer has cancelled 2 x `max_calls` calls in a row before
  // they were active, and again after each further 2 x `max_calls`: the caller
  // must cut its connection, and then call Release. If it returns false, `call`
  // must not be used any more.
  bool End(Call* call, bool is_cancelled);
  void Release(Call* call);

  // Notes that a whole message of the call has come, or that the server works
  // for the call: the server does not wait for the peer. Takes no lock.
  static void MarkActive(Call* call);
  // The same for a call that has no entry here.
  void MarkActive(const std::string& peer);

  // The use of a connection by `peer`. The zero value for an unknown peer.
  Connections::Use UseOf(const std::string& peer) const;

  // Drops peers that have no calls and were not active in the last two seconds.
  // Call it about once a second. Cost: O(peers).
  void ForgetIdle();

 private:
  const int64_t max_calls_;
  mutable std::mutex mutex_;
  // By name.
  std::unordered_map<std::string, Peer> peers_;
};

}  // namespace bvhmill::server
