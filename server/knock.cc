#include "server/knock.h"

#include <sys/socket.h>
#include <unistd.h>

#include "server/address.h"

namespace bvhmill::server {

void KnockAt(const std::string& address) {
  const Addresses found = Resolve(address);
  if (found == nullptr) return;
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  static_cast<void>(connect(fd, found->ai_addr, found->ai_addrlen));
  close(fd);
}

}  // namespace bvhmill::server
