#pragma once

// The activity of each peer: its running calls, and when its last messages
// came. A peer is the other end of a connection, named by its address as gRPC
// reports it. The table of connections uses this to decide which connections to
// cut. This class itself finds peers that flood the server with calls.
//
//   PeerActivity::Call call;
//   if (peers.Begin(peer, CallKind::kUnary, header_bytes, &call)) Cut(peer);
//   PeerActivity::MarkHeard(&call, message_bytes);
//   if (peers.End(&call, is_cancelled)) {
//     Cut(peer);
//     peers.Release(&call);
//   }
//
// CallRegistry does this for all calls.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "server/net/connection_table.h"

namespace bvhmill::server {

// Kinds of calls, by the unfinished messages that they may have.
enum class CallKind : uint8_t {
  // Begins when its whole message has come.
  kUnary,
  // Receives messages until it ends.
  kUpload,
  // As kUnary, but without a ticket, so no limit on tickets bounds the number
  // of such calls.
  kFree,
  // Sends a message from time to time, for hours, without a ticket. Its service
  // bounds the number of such calls.
  kWatch,
};

// True for calls about the state of the server. A drain does not wait for them.
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
    // The number of this entry, different for each entry of the table.
    int64_t entry = 0;
    int64_t calls = 0;
    // Running calls of the kind kFree, and of the kinds kFree and kWatch.
    int64_t free_calls = 0;
    int64_t aside_calls = 0;
    // Calls in a row that the peer cancelled before they were active.
    int64_t cancelled_early = 0;
    int64_t begun = 0;
    // Ended calls that may have left bytes of an incomplete message.
    int64_t left = 0;
    // Running calls of the kind kUpload.
    std::unordered_set<const Call*> uploads;
    // See MarkActive, MarkHeard.
    std::atomic<Clock::time_point> active_at{};
    std::atomic<int64_t> explained{0};
    // The time when an active call last ended.
    Clock::time_point ended_at;
  };
  // One call of a peer, from Begin to End. Its owner must not move it.
  struct Call {
    // Both point into the table, which keeps them until End.
    const std::string* name = nullptr;
    Peer* peer = nullptr;
    CallKind kind = CallKind::kUnary;
    std::atomic<bool> is_active{false};
    // When its last whole message came, or it began; and when the server was
    // last busy with the call instead of waiting for the peer.
    std::atomic<Clock::time_point> heard_at{};
    std::atomic<Clock::time_point> busy_at{};
    // The peer had more than eight calls when this one began, including this
    // one.
    bool is_one_of_many = false;
  };

  // Counts a call of the peer whose metadata has `header_bytes`, and fills
  // `call`. True if the calls of the peer have just reached 2 x `max_calls` +
  // 2: the caller must then cut its connection. The limit is doubled because a
  // call that has ended for the peer may still be counted here.
  bool Begin(const std::string& peer, CallKind kind, int64_t header_bytes,
             Call* call);

  // The call has ended; `is_cancelled`: it was cancelled, usually by its peer.
  // True if the peer has cancelled 2 x `max_calls` calls in a row before they
  // were active, and again after each further 2 x `max_calls`: the caller must
  // then cut its connection and call Release. After false, `call` must not be
  // used any more.
  bool End(Call* call, bool is_cancelled);
  void Release(Call* call);

  // A whole message of the call has come, with `bytes` as gRPC received it,
  // that is: before decompression. Takes no lock.
  static void MarkHeard(Call* call, int64_t bytes);
  // The same for a call that is no use of the server, such as a check of its
  // health: the peer does not become active. Takes no lock.
  static void Explain(Call* call, int64_t bytes);
  // The server works for the call. Takes no lock.
  static void MarkActive(Call* call);
  // The same; in addition the server does not wait for the peer, whose next
  // messages may wait in the buffers of gRPC.
  static void MarkBusy(Call* call);

  // The use that `peer` makes of its connection; the zero value for an unknown
  // peer. Cost: O(uploads of the peer).
  Connections::Use UseOf(const std::string& peer) const;

  // Drops peers without calls that were not active in the last two seconds.
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
