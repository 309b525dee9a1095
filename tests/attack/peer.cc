#include "tests/attack/peer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>

namespace bvhmill::attack {
namespace {

using Clock = std::chrono::steady_clock;

int MillisecondsUntil(Clock::time_point end) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

bool WaitFor(int fd, int16_t what, int timeout_ms) {
  pollfd one = {fd, what, 0};
  return poll(&one, 1, timeout_ms) == 1;
}

// An address of this machine, 127.0.0.1 or one that `plus` is added to.
sockaddr_in Loopback(int port, in_addr_t plus = 0) {
  sockaddr_in out = {};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK + plus);
  out.sin_port = htons(static_cast<uint16_t>(port));
  return out;
}

const sockaddr* Plain(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

Peer::Peer(const std::string& address) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in to =
      Loopback(std::atoi(address.c_str() + address.rfind(':') + 1));
  const sockaddr_in from = Loopback(0, 1);
  if (bind(fd_, Plain(from), sizeof(from)) != 0 ||
      connect(fd_, Plain(to), sizeof(to)) != 0) {
    Close();
  } else {
    fcntl(fd_, F_SETFL, O_NONBLOCK);
  }
}

Peer::~Peer() { Close(); }

Peer::Peer(Peer&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Peer& Peer::operator=(Peer&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

void Peer::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

size_t Peer::Send(std::string_view bytes, int timeout_ms) {
  size_t sent = 0;
  while (is_open() && sent < bytes.size()) {
    const ssize_t took =
        send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (took > 0) {
      sent += static_cast<size_t>(took);
    } else if (errno != EAGAIN) {
      Close();
    } else if (!WaitFor(fd_, POLLOUT, timeout_ms)) {
      break;
    }
  }
  return sent;
}

std::string Peer::ReadAll(int timeout_ms) {
  const auto end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  std::string out;
  char buffer[16384];
  while (is_open() && WaitFor(fd_, POLLIN, MillisecondsUntil(end))) {
    const ssize_t got = recv(fd_, buffer, sizeof(buffer), 0);
    if (got <= 0) break;
    out.append(buffer, static_cast<size_t>(got));
  }
  return out;
}

void Peer::Discard() {
  char buffer[16384];
  while (is_open()) {
    const ssize_t got = recv(fd_, buffer, sizeof(buffer), 0);
    if (got > 0) continue;
    if (got == 0 || errno != EAGAIN) Close();
    return;
  }
}

void Peer::ShrinkReceiveBuffer() {
  constexpr int kBytes = 4096;
  setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &kBytes, sizeof(kBytes));
}

int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at = Loopback(0);
  socklen_t size = sizeof(at);
  const bool is_bound =
      bind(fd, Plain(at), sizeof(at)) == 0 &&
      getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size) == 0;
  close(fd);
  return is_bound ? ntohs(at.sin_port) : 0;
}

}  // namespace bvhmill::attack
