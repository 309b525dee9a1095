#include "server/check_config.h"

#include <netdb.h>
#include <sys/socket.h>

#include <charconv>
#include <memory>
#include <string>

#include "bvhmill/base/status.h"
#include "server/tls.h"
#include "server/tokens.h"

namespace bvhmill::server {
namespace {

absl::Status BadAddress(const std::string& address, const char* why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, address + ": " + why);
}

bool IsPort(std::string_view text) {
  int port = -1;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, port);
  return fault == std::errc() && stop == end && port >= 0 && port <= 65535;
}

absl::Status CheckAddress(const std::string& address) {
  if (address.empty() || address.starts_with("unix:")) return absl::OkStatus();
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos || !IsPort(address.substr(colon + 1))) {
    return BadAddress(address, "is not HOST:PORT");
  }
  std::string host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, nullptr, &found) != 0) {
    return BadAddress(address, "no such host is known here");
  }
  freeaddrinfo(found);
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckConfig(const ServerConfig& config) {
  BVHMILL_RETURN_IF_ERROR(CheckAddress(config.listen));
  BVHMILL_RETURN_IF_ERROR(CheckAddress(config.metrics));
  BVHMILL_RETURN_IF_ERROR(CheckTlsFiles(config));
  std::unique_ptr<TokenStore> tokens;
  return TokenStore::Open(config.token_file, &tokens);
}

}  // namespace bvhmill::server
