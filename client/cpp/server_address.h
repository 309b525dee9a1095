#pragma once

// Addresses of servers as users write them. Private to the client library.

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace bvhmill::client {

struct HostPort {
  // Without brackets.
  std::string host;
  std::string port;
};

// The parts of HOST:PORT; PORT alone is one of this machine. INVALID_ARGUMENT
// "server: why". unix:PATH is split at its colon.
absl::StatusOr<HostPort> SplitHostPort(std::string_view text);

// HOST:PORT of HOST:PORT or PORT.
std::string WithHost(std::string_view server);

// The parts between commas that are not empty.
std::vector<std::string_view> SplitServers(std::string_view list);

}  // namespace bvhmill::client
