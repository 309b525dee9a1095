#include "client/cli/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "client/cli/exit_codes.h"

namespace bvhmill::client {
namespace {

// Lock-free, hence fit for a signal handler.
CancelToken interrupted;
// When the token was cancelled, in milliseconds; 0: it was not.
std::atomic<int64_t> first_signal = 0;
static_assert(std::atomic<int64_t>::is_always_lock_free);

constexpr int64_t kToCleanUp = 1000;

int64_t Milliseconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void OnSignal(int /*signal*/) {
  const int saved_errno = errno;
  const int64_t now = Milliseconds();
  int64_t first = 0;
  if (first_signal.compare_exchange_strong(first, now)) {
    interrupted.Cancel();
  } else if (now - first > kToCleanUp) {
    _exit(kExitInterrupted);
  }
  errno = saved_errno;
}

void Catch(int signal) {
  struct sigaction action = {};
  if (sigaction(signal, nullptr, &action) == 0 &&
      action.sa_handler == SIG_IGN) {
    return;
  }
  action = {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

CancelToken* CatchSignals() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  Catch(SIGINT);
  Catch(SIGTERM);
  return &interrupted;
}

}  // namespace bvhmill::client
