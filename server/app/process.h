#pragma once

// The process of the server towards the system: the signals that stop it or
// reload its files, a bound on the time that stopping takes, and messages to
// systemd and to the operator.
//
//   static auto& signals =
//       *new StopSignals(config.drain_seconds, config.log);
//   ... start the server ...
//   NotifySupervisor("READY=1");
//   signals.Wait([&server] {
//     NotifyReloading();
//     server->Reload();
//     NotifySupervisor("READY=1");
//   });
//   NotifySupervisor("STOPPING=1");

#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string_view>

#include "server/observe/log.h"

namespace bvhmill::server {

// Receives SIGTERM, SIGINT and SIGHUP in a thread of its own. So the signals
// work while the server starts, and also in the first process of a container,
// which ignores a signal without a handler. One for a program; it must live
// until the program ends.
class StopSignals {
 public:
  // Make it before other threads: they inherit the mask of signals.
  // `drain_seconds`: the time that the server has after it was told to stop.
  // `format`: that of the line which says that the program ends at once.
  explicit StopSignals(int drain_seconds,
                       LogFormat format = LogFormat::kErrors);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Returns after a SIGTERM or SIGINT, also after one that came before this
  // call. Until then calls `reload` after each SIGHUP.
  //
  // The first SIGTERM or SIGINT also starts EndAfter: it ends the program two
  // seconds after the drain, or after two seconds if the server has not started
  // by then. The second one ends the program at once.
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

// Ends the program with kStuckExit, and a line on stderr, if it still runs
// after `seconds`, at least 1. A timer of the system does it: at that time it
// needs no thread and no memory. Uses SIGALRM.
void EndAfter(int seconds);

// The exit status of a program that EndAfter or a second signal ended.
inline constexpr int kStuckExit = 3;

// Writes `text` to stderr. Drops it if the reader of stderr is not ready. Safe
// in a signal handler.
void TellOperator(std::string_view text);

// Sends `state`, e.g. "READY=1", to the socket that NOTIFY_SOCKET names, as a
// service of Type=notify must. True if it was sent; false without a socket.
bool NotifySupervisor(std::string_view state);

// Sends "RELOADING=1" and the present time, as services of Type=notify and of
// Type=notify-reload must before they read their files again. "READY=1" must
// follow. Returns what NotifySupervisor does.
bool NotifyReloading();

// Tells systemd that the program works, if its unit has WatchdogSec=: systemd
// ends and restarts a program that does not say so for that time. For one
// thread.
//
//   Watchdog watchdog;
//   while (...) {
//     watchdog.Tick(std::chrono::steady_clock::now());
//     ... work that must not get stuck ...
//   }
class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;

  // Reads WATCHDOG_USEC and WATCHDOG_PID. Sends nothing if the first is not a
  // number above 0, or if the second is the number of another process.
  Watchdog();

  // Sends "WATCHDOG=1" in the first call, and then whenever half of the time
  // of WATCHDOG_USEC has passed. Does not wait if systemd is slow to read: the
  // next call tries again.
  void Tick(Clock::time_point now);

 private:
  // 0 = no watchdog.
  std::chrono::microseconds period_{0};
  Clock::time_point next_{};
};

}  // namespace bvhmill::server
