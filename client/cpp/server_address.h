#pragma once

// Addresses of servers as users write them. Private to the client library.

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bvhmill::client {

struct HostPort {
  // Without brackets.
  std::string host;
  std::string port;
};

// The parts of HOST:PORT; PORT alone means 127.0.0.1:PORT. An IPv6 address must
// have brackets: [::1]:7450. unix:PATH is split at its last colon.
// INVALID_ARGUMENT "server: why", also for a port that is not 1 to 65535.
absl::StatusOr<HostPort> SplitHostPort(std::string_view text);

// `server` as HOST:PORT: a PORT alone becomes 127.0.0.1:PORT.
std::string WithHost(std::string_view server);

// The parts between commas that are not empty, as views of `list`.
std::vector<std::string_view> SplitServers(std::string_view list);

// UNAVAILABLE, SERVER_UNREACHABLE "cannot reach SERVER: why".
absl::Status Unreachable(std::string_view server, std::string_view why);

}  // namespace bvhmill::client
