#include "server/app/stop_signals.h"

#include <thread>
#include <utility>

#include "server/app/watchdog.h"

namespace bvhmill::server {

StopSignals::StopSignals(int drain_seconds) : drain_seconds_(drain_seconds) {
  sigemptyset(&signals_);
  for (const int one : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals_, one);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  std::thread([this] { Run(); }).detach();
}

void StopSignals::Run() {
  while (true) {
    int received = 0;
    if (sigwait(&signals_, &received) != 0) continue;
    const std::lock_guard lock(mutex_);
    received == SIGHUP ? void(must_reload_ = true) : OnStop();
    changed_.notify_all();
  }
}

void StopSignals::OnStop() {
  if (std::exchange(is_told_to_stop_, true)) {
    EndNow("bvhmilld: told to stop twice, ending at once\n");
  }
  BoundStop();
}

void StopSignals::BoundStop() const {
  // Closing takes a second after the drain.
  constexpr int kToClose = 2;
  EndAfter((is_serving_ ? drain_seconds_ : 0) + kToClose);
}

void StopSignals::Wait(const std::function<void()>& reload) {
  std::unique_lock lock(mutex_);
  is_serving_ = true;
  if (is_told_to_stop_) BoundStop();
  while (!is_told_to_stop_) {
    changed_.wait(lock, [this] { return is_told_to_stop_ || must_reload_; });
    if (is_told_to_stop_ || !std::exchange(must_reload_, false)) continue;
    lock.unlock();
    reload();
    lock.lock();
  }
}

}  // namespace bvhmill::server
