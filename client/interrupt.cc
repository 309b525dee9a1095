#include "client/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "client/exit_codes.h"

namespace bvhmill::client {
namespace {

// Lock-free, hence fit for a signal handler.
CancelToken interrupted;

void OnSignal(int /*signal*/) {
  if (interrupted.IsCancelled()) _exit(kExitInterrupted);
  interrupted.Cancel();
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
