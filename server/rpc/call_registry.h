#pragma once

// The running calls. The registry sends them a tick, about once a second, and
// an event when the server drains; then it waits for their end.
//
//   CallRegistry::CallId id;
//   if (!calls.Begin({.watch = watch, .peer = peer}, &id)) return Stopping();
//   CallRegistry::MarkHeard(id, bytes);  // A message of the peer has come.
//   calls.End(id, is_cancelled);

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/rpc/peer_activity.h"

namespace bvhmill::server {

// Receives the events of one call. Any thread may call the functions, also once
// after CallRegistry::End.
class CallWatch {
 public:
  CallWatch() = default;
  virtual ~CallWatch() = default;
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;

  // The server drains. Called several times a second until the call ends.
  virtual void OnDrain() {}
  // About one second has passed.
  virtual void OnTick(std::chrono::steady_clock::time_point /*now*/) {}
};

// Thread-safe.
class CallRegistry {
 public:
  struct RunningCall {
    // May be null.
    std::shared_ptr<CallWatch> watch;
    PeerActivity::Call activity;
    // A drain does not wait for the call.
    bool is_aside = false;
  };
  // Valid from Begin to End.
  using CallId = std::list<RunningCall>::iterator;
  // Cuts the connection of `peer`, for the reason `why`. Must not throw.
  using Cut = std::function<void(const std::string& peer, const char* why)>;

  // `peers` must outlive the registry.
  CallRegistry(PeerActivity* peers, Cut cut)
      : peers_(*peers), cut_(std::move(cut)) {}

  // A call that begins, and the name of its peer.
  struct NewCall {
    std::shared_ptr<CallWatch> watch;
    const std::string& peer;
    CallKind kind = CallKind::kUnary;
    // The bytes of its metadata.
    int64_t header_bytes = 0;
  };

  // Counts a call as running until End. False if the server drains: the caller
  // must refuse the call, and `id` is not set. Calls of the kinds kFree and
  // kWatch, which report the state of the server, also begin during a drain,
  // and no drain waits for them. Cuts the connection of a peer with far too
  // many calls.
  bool Begin(NewCall call, CallId* id);
  // The call has ended. `is_cancelled`: it was cancelled, usually by its peer.
  // Cuts the connection of a peer that cancelled too many calls in a row before
  // their first message: see PeerActivity::End.
  void End(CallId id, bool is_cancelled);

  // See the functions of PeerActivity.
  static void MarkHeard(CallId id, int64_t bytes) {
    PeerActivity::MarkHeard(&id->activity, bytes);
  }
  static void Explain(CallId id, int64_t bytes) {
    PeerActivity::Explain(&id->activity, bytes);
  }
  static void MarkActive(CallId id) { PeerActivity::MarkActive(&id->activity); }
  static void MarkBusy(CallId id) { PeerActivity::MarkBusy(&id->activity); }

  // Calls OnTick of all running calls, without a lock. Call it about once a
  // second.
  void Tick(std::chrono::steady_clock::time_point now);

  // Refuses new calls from now on, and calls OnDrain of the running calls ten
  // times a second. Returns true when all have ended, false after `patience`.
  bool Drain(std::chrono::seconds patience);

  // The number of running calls for which a drain waits.
  int64_t running() const;

 private:
  // A copy: a call may end while its watch runs.
  std::vector<std::shared_ptr<CallWatch>> Watches() const;

  PeerActivity& peers_;
  const Cut cut_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  bool is_draining_ = false;
  // Calls for which a drain waits.
  int64_t awaited_ = 0;
  std::list<RunningCall> calls_;
};

}  // namespace bvhmill::server
