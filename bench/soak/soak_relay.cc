#include "bench/soak/soak_relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

namespace bvhmill::bench {
namespace {

using Clock = std::chrono::steady_clock;

sockaddr_in Local(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void ResetOnClose(int fd) {
  const linger reset = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
}

// A socket that listens, and its port.
int Listen(uint16_t* port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Local(0);
  socklen_t size = sizeof(address);
  bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  listen(fd, 1);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  *port = ntohs(address.sin_port);
  return fd;
}

// Waits until one of them can be read; false if it is `end` before.
bool WaitReadable(pollfd* fds, size_t count, Clock::time_point end) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  return poll(fds, count,
              static_cast<int>(std::max<int64_t>(left.count(), 0))) > 0;
}

// Moves one block. False at the end of the input, or if the peer has closed.
bool Carry(int from, int to, std::vector<char>* buffer) {
  const ssize_t got = recv(from, buffer->data(), buffer->size(), 0);
  if (got <= 0) return false;
  const auto size = static_cast<size_t>(got);
  return send(to, buffer->data(), size, MSG_NOSIGNAL) == got;
}

// Carries bytes both ways between the two until `end`.
void Pump(int a, int b, Clock::time_point end) {
  std::vector<char> buffer(size_t{64} << 10);
  // Who does not take what is sent must not keep it from ending.
  const timeval timeout = {0, 200'000};
  for (const int fd : {a, b}) {
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
  }
  std::array<pollfd, 2> fds = {{{a, POLLIN, 0}, {b, POLLIN, 0}}};
  while (WaitReadable(fds.data(), fds.size(), end)) {
    if (fds[0].revents != 0 && !Carry(a, b, &buffer)) return;
    if (fds[1].revents != 0 && !Carry(b, a, &buffer)) return;
  }
}

void Relay(int listener, const std::string& server, Clock::time_point end) {
  pollfd waiting = {listener, POLLIN, 0};
  if (WaitReadable(&waiting, 1, end)) {
    const int client = accept(listener, nullptr, nullptr);
    const int other = DialToReset(server);
    ResetOnClose(client);
    Pump(client, other, end);
    close(client);
    close(other);
  }
  close(listener);
}

}  // namespace

BreakingRelay::BreakingRelay(const std::string& server,
                             std::chrono::milliseconds time) {
  uint16_t port = 0;
  const int listener = Listen(&port);
  address_ = "127.0.0.1:" + std::to_string(port);
  thread_ = std::jthread([listener, server, end = Clock::now() + time] {
    Relay(listener, server, end);
  });
}

int DialToReset(const std::string& server) {
  const sockaddr_in to = Local(
      static_cast<uint16_t>(std::stoi(server.substr(server.rfind(':') + 1))));
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  ResetOnClose(fd);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0) {
    return fd;
  }
  close(fd);
  return -1;
}

}  // namespace bvhmill::bench
