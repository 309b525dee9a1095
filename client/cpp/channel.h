#pragma once

// Makes a gRPC channel from ConnectOptions. Private to the client library.

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/cpp/client.h"

namespace bvhmill::client {

// A channel, and the header that every call on it sends.
struct Line {
  std::shared_ptr<grpc::Channel> channel;
  // Value of the `authorization` header, or empty.
  std::string authorization;
};

// The gRPC target for `servers`. One server is its own target. Several become
// an "ipv4:" or "ipv6:" list of the addresses of their names; this blocks on
// DNS. INVALID_ARGUMENT "server: why"; UNAVAILABLE as of Unreachable
// if a name in a list has no address.
absl::StatusOr<std::string> TargetOf(std::string_view servers);

// Reads the files and makes the channel, but does not connect.
// INVALID_ARGUMENT "field: why", or the status of TargetOf. CANCELLED while it
// waits for the bytes of a pipe. `cancel` may be null.
absl::StatusOr<Line> OpenLine(const ConnectOptions& options,
                              const CancelToken* cancel = nullptr);

}  // namespace bvhmill::client
