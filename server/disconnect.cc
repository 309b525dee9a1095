#include "server/disconnect.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

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
  return std::string("ipv6:%5B") + text +
         "%5D:" + std::to_string(ntohs(address.sin6_port));
}

// The other side of a socket; empty for other files.
std::string PeerOf(int file) {
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

}  // namespace

bool Disconnect(const std::string& peer) {
  if (!peer.starts_with("ipv")) return false;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const int file = std::atoi(entry.path().filename().c_str());
    if (PeerOf(file) != peer) continue;
    return shutdown(file, SHUT_RDWR) == 0;
  }
  return false;
}

}  // namespace bvhmill::server
