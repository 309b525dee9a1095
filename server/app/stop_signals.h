#pragma once

// The signals that stop the server or have it read its files again. A thread of
// its own waits for them: so no work keeps one waiting, also where a signal
// without a handler does nothing, as in the first process of a container.

#include <signal.h>

#include <condition_variable>
#include <functional>
#include <mutex>

namespace bvhmill::server {

// One for a program; it lives until the program ends.
class StopSignals {
 public:
  // Make it before other threads: they inherit the mask of signals.
  // `drain_seconds`: the time that the server has after it was told to stop.
  explicit StopSignals(int drain_seconds);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Returns once SIGTERM or SIGINT has come, also before this call. Calls
  // `reload` after each SIGHUP before that.
  //
  // The first SIGTERM or SIGINT also ends the program by EndAfter: two seconds
  // after the drain, or two seconds later if the server has not started by
  // then. The second one ends it at once.
  void Wait(const std::function<void()>& reload);

 private:
  void Run();
  void OnStop();
  void BoundStop() const;

  const int drain_seconds_;
  sigset_t signals_ = {};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_serving_ = false;
  bool is_told_to_stop_ = false;
  bool must_reload_ = false;
};

}  // namespace bvhmill::server
