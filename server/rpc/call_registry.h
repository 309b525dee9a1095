#pragma once

// The running calls. The registry sends them a tick, about once a second, and
// an event when the server drains; then it waits for their end. It limits the
// number of calls.
//
//   CallRegistry::CallId id;
//   absl::Status status = calls.Begin({.watch = watch, .peer = peer}, &id);
//   calls.End(id);

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"

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
    // The calls of its peer, by name.
    std::pair<const std::string, int64_t>* peer = nullptr;
    bool is_aside = false;
  };
  // Valid from Begin to End.
  using CallId = std::list<RunningCall>::iterator;
  // Cuts the connection of `peer`. Must not throw.
  using Cut = std::function<void(const std::string& peer)>;

  // `max_calls`: the most calls at once, 0 = no limit. Calls aside may have an
  // eighth of them.
  CallRegistry(int64_t max_calls, Cut cut)
      : max_calls_(max_calls), cut_(std::move(cut)) {}

  struct NewCall {
    std::shared_ptr<CallWatch> watch;
    // The other end of the connection, as gRPC names it.
    const std::string& peer;
    // A call about the state of the server: it also begins during a drain, and
    // no drain waits for it.
    bool is_aside = false;
  };

  // Counts a call as running until End. Sets `id`, also after an error, unless
  // the server drains. The caller must refuse the call with the error:
  // UNAVAILABLE if the server drains, and RESOURCE_EXHAUSTED beyond the limit.
  // A refused call runs until its peer has accepted the status. If such calls
  // are an eighth of the limit, the peer with most calls does not read: its
  // connection is cut.
  absl::Status Begin(NewCall call, std::optional<CallId>* id);
  void End(CallId id);

  // True if the peer of the call has more than eight calls.
  bool IsOneOfMany(CallId id) const;

  // Calls OnTick of all running calls, without a lock. Call it about once a
  // second.
  void Tick(std::chrono::steady_clock::time_point now);

  // Refuses new calls from now on, and calls OnDrain of the running calls ten
  // times a second. Returns true when all have ended, false after `timeout`.
  bool Drain(std::chrono::seconds timeout);

  // The number of running calls for which a drain waits.
  int64_t running() const;

 private:
  // A copy: a call may end while its watch runs.
  std::vector<std::shared_ptr<CallWatch>> Watches() const;
  std::string BusiestPeer() const;

  const int64_t max_calls_;
  const Cut cut_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  bool is_draining_ = false;
  // Calls for which a drain waits, and the others.
  int64_t awaited_ = 0;
  int64_t aside_ = 0;
  std::list<RunningCall> calls_;
  // The number of calls of each peer that has any.
  std::unordered_map<std::string, int64_t> peers_;
};

}  // namespace bvhmill::server
