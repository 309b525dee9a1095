#pragma once

// Makes a gRPC channel from ConnectOptions: parses the addresses of servers and
// reads the files of certificates and tokens.
//
//   absl::StatusOr<Line> line = OpenLine({.server = "7450"});
//   auto stub = v1::ClipService::NewStub(line->channel);

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cpp/client.h"

namespace bvhmill::client {

// A channel, and the header that every call on it sends.
struct Line {
  std::shared_ptr<grpc::Channel> channel;
  // Value of the `authorization` header, or empty.
  std::string authorization;
};

// Reads the files and makes the channel, but does not connect.
// INVALID_ARGUMENT "field: why", or the status of TargetOf. CANCELLED while it
// waits for the bytes of a pipe. `cancel` may be null.
absl::StatusOr<Line> OpenLine(const ConnectOptions& options,
                              const CancelToken* cancel = nullptr);

// The gRPC target for `servers`. One server is its own target. Several become
// an "ipv4:" or "ipv6:" list of the addresses of their names; this blocks on
// DNS. INVALID_ARGUMENT "server: why"; UNAVAILABLE as of Unreachable
// if a name in a list has no address.
absl::StatusOr<std::string> TargetOf(std::string_view servers);

// Addresses of servers as users write them.

// The address of a server.
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

// The path of a PEM file with the authorities that the system trusts: the value
// of the variable SSL_CERT_FILE, or else the first file that exists of those
// that Linux distributions use. Empty if none exists.
std::string SystemAuthorities();

}  // namespace bvhmill::client
