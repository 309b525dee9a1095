#include "server/app/process.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <utility>

namespace bvhmill::server {
namespace {

// Whether the lines of EndNow are JSON.
std::atomic<bool> writes_json{false};

// Ends the program. Safe in a signal handler, so both forms of the line are
// constants.
[[noreturn]] void EndNow(std::string_view text, std::string_view json) {
  TellOperator(writes_json ? json : text);
  _exit(kStuckExit);
}

void EndLate(int /*signal*/) {
  EndNow("bvhmilld: could not stop in time, ending at once\n",
         "{\"event\":\"could not stop in time, ending at once\"}\n");
}

}  // namespace

StopSignals::StopSignals(int drain_seconds, LogFormat format)
    : drain_seconds_(drain_seconds) {
  writes_json = format == LogFormat::kJson;
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
    EndNow("bvhmilld: told to stop twice, ending at once\n",
           "{\"event\":\"told to stop twice, ending at once\"}\n");
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

namespace {

// Sends `state` with the flags of sendto; false if it was not sent.
bool Notify(std::string_view state, int flags) {
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
      sendto(fd, state.data(), state.size(), MSG_NOSIGNAL | flags,
             reinterpret_cast<const sockaddr*>(&address), size);
  close(fd);
  return sent == static_cast<ssize_t>(state.size());
}

// The number that the variable `name` has; 0 if it has none.
int64_t NumberOfVariable(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return 0;
  const char* const end = text + std::strlen(text);
  int64_t number = 0;
  const auto [stop, fault] = std::from_chars(text, end, number);
  return fault == std::errc() && stop == end ? number : 0;
}

}  // namespace

bool NotifySupervisor(std::string_view state) { return Notify(state, 0); }

bool NotifyReloading() {
  constexpr int64_t kMicros = 1'000'000;
  constexpr int64_t kNanosPerMicro = 1000;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t micros = now.tv_sec * kMicros + now.tv_nsec / kNanosPerMicro;
  return NotifySupervisor("RELOADING=1\nMONOTONIC_USEC=" +
                          std::to_string(micros));
}

Watchdog::Watchdog() {
  const int64_t process = NumberOfVariable("WATCHDOG_PID");
  if (process != 0 && process != getpid()) return;
  const int64_t timeout = NumberOfVariable("WATCHDOG_USEC");
  if (timeout > 0) period_ = std::chrono::microseconds((timeout + 1) / 2);
}

void Watchdog::Tick(Clock::time_point now) {
  if (period_.count() == 0 || now < next_) return;
  if (Notify("WATCHDOG=1", MSG_DONTWAIT)) next_ = now + period_;
}

}  // namespace bvhmill::server
