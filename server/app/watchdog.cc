#include "server/app/watchdog.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <string_view>

namespace bvhmill::server {
namespace {

// A signal handler: calls only what is safe there.
void EndProgram(int /*signal*/) {
  constexpr std::string_view kText =
      "bvhmilld: could not stop in time, ending at once\n";
  pollfd log = {STDERR_FILENO, POLLOUT, 0};
  if (poll(&log, 1, 0) == 1) {
    const ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
    static_cast<void>(written);
  }
  _exit(kStuckExit);
}

}  // namespace

void EndAfter(int seconds) {
  signal(SIGALRM, EndProgram);
  alarm(static_cast<unsigned>(seconds));
}

}  // namespace bvhmill::server
