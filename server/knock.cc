#include "server/knock.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

namespace bvhmill::server {

void KnockAt(const std::string& address) {
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found) !=
      0) {
    return;
  }
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0) {
    static_cast<void>(connect(fd, found->ai_addr, found->ai_addrlen));
    close(fd);
  }
  freeaddrinfo(found);
}

}  // namespace bvhmill::server
