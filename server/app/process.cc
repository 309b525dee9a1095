#include "server/app/process.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace bvhmill::server {
namespace {

// Ends the program. Safe in a signal handler.
[[noreturn]] void EndNow(std::string_view why) {
  TellOperator(why);
  _exit(kStuckExit);
}

void EndLate(int /*signal*/) {
  EndNow("bvhmilld: could not stop in time, ending at once\n");
}

}  // namespace

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

void EndAfter(int seconds) {
  signal(SIGALRM, EndLate);
  alarm(static_cast<unsigned>(seconds));
}

void TellOperator(std::string_view text) {
  pollfd log = {STDERR_FILENO, POLLOUT, 0};
  if (poll(&log, 1, 0) != 1) return;
  const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written);
}

bool NotifySupervisor(std::string_view state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  const size_t length = path == nullptr ? 0 : std::strlen(path);
  if (length < 2 || length >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path, length);
  // An abstract socket begins with a zero byte.
  if (path[0] == '@') address.sun_path[0] = '\0';
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  const ssize_t sent =
      sendto(fd, state.data(), state.size(), MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&address), size);
  close(fd);
  return sent == static_cast<ssize_t>(state.size());
}

}  // namespace bvhmill::server
