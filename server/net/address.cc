#include "server/net/address.h"

#include <sys/socket.h>

#include <charconv>
#include <string_view>
#include <system_error>

namespace bvhmill::server {
namespace {

bool IsPort(std::string_view text) {
  constexpr int kMax = 65535;
  int port = -1;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, port);
  return fault == std::errc() && stop == end && port >= 0 && port <= kMax;
}

}  // namespace

bool HasPort(const std::string& address) {
  const size_t colon = address.rfind(':');
  return colon != std::string::npos && colon > 0 &&
         IsPort(address.substr(colon + 1));
}

std::string WithHost(const std::string& address) {
  return IsPort(address) ? "127.0.0.1:" + address : address;
}

Addresses Resolve(const std::string& address) {
  if (!HasPort(address)) return nullptr;
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int fault =
      getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found);
  return Addresses(fault == 0 ? found : nullptr);
}

}  // namespace bvhmill::server
