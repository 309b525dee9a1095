#include "server/app/watchdog.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

namespace bvhmill::server {
namespace {

void EndLate(int /*signal*/) {
  EndNow("bvhmilld: could not stop in time, ending at once\n");
}

}  // namespace

// This and EndNow call only what is safe in a signal handler.
void TellOperator(std::string_view text) {
  pollfd log = {STDERR_FILENO, POLLOUT, 0};
  if (poll(&log, 1, 0) != 1) return;
  const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written);
}

void EndNow(std::string_view why) {
  TellOperator(why);
  _exit(kStuckExit);
}

void EndAfter(int seconds) {
  signal(SIGALRM, EndLate);
  alarm(static_cast<unsigned>(seconds));
}

}  // namespace bvhmill::server
