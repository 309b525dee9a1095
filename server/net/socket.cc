#include "server/net/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

namespace bvhmill::server {
namespace {

std::string NameOf(const in_addr& address, in_port_t port) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address, text, sizeof text);
  return std::string("ipv4:") + text + ":" + std::to_string(ntohs(port));
}

std::string NameOf(const sockaddr_in6& address) {
  if (IN6_IS_ADDR_V4MAPPED(&address.sin6_addr)) {
    in_addr mapped = {};
    std::memcpy(&mapped, address.sin6_addr.s6_addr + 12, sizeof mapped);
    return NameOf(mapped, address.sin6_port);
  }
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof text);
  std::string scope;
  if (address.sin6_scope_id != 0) {
    scope = "%25" + std::to_string(address.sin6_scope_id);
  }
  return std::string("ipv6:%5B") + text + scope +
         "%5D:" + std::to_string(ntohs(address.sin6_port));
}

uint64_t CookieOf(int file) {
  uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  const int fault = getsockopt(file, SOL_SOCKET, SO_COOKIE, &cookie, &size);
  return fault == 0 ? cookie : 0;
}

int64_t QueueLength(int file, unsigned long request) {
  int bytes = 0;
  return ioctl(file, request, &bytes) == 0 ? bytes : 0;
}

void ReadCounts(int file, SocketState* state) {
  tcp_info info = {};
  socklen_t size = sizeof info;
  const int fault = getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size);
  constexpr size_t kNeeded =
      offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
  if (fault != 0 || size < kNeeded) return;
  state->has_counts = true;
  state->received = static_cast<int64_t>(info.tcpi_bytes_received);
  state->accepted = static_cast<int64_t>(info.tcpi_bytes_acked);
}

}  // namespace

SocketState ReadSocketState(int file) {
  SocketState state;
  state.cookie = CookieOf(file);
  if (state.cookie == 0) return state;
  state.unsent = QueueLength(file, SIOCOUTQ);
  ReadCounts(file, &state);
  return state;
}

std::string PeerName(int file) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (getpeername(file, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return "";
  }
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return NameOf(v4.sin_addr, v4.sin_port);
  }
  if (address.ss_family != AF_INET6) return "";
  return NameOf(reinterpret_cast<const sockaddr_in6&>(address));
}

bool ResetSocket(int file, uint64_t cookie) {
  // The owner may close the file at any time, and the kernel may then reuse its
  // number. The copy always refers to one socket.
  const int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return false;
  bool is_done = CookieOf(copy) == cookie;
  if (is_done) {
    // A connect to AF_UNSPEC resets a TCP connection. After a shutdown the
    // owner would still read the bytes in the receive queue. Unix sockets
    // support only the shutdown.
    sockaddr none = {};
    none.sa_family = AF_UNSPEC;
    is_done = connect(copy, &none, sizeof none) == 0 ||
              shutdown(copy, SHUT_RDWR) == 0;
  }
  close(copy);
  return is_done;
}

void SetSendTimeout(int file, int64_t seconds) {
  constexpr int64_t kMax = std::numeric_limits<int>::max() / 1000;
  const auto ms = static_cast<unsigned>(std::min(seconds, kMax) * 1000);
  setsockopt(file, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
}

}  // namespace bvhmill::server
