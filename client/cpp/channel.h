#pragma once

// From ConnectOptions to a gRPC channel. Private to the client library.

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/cpp/client.h"

namespace bvhmill::client {

// A channel and what every call on it carries.
struct Line {
  std::shared_ptr<grpc::Channel> channel;
  // Value of the `authorization` header, or empty.
  std::string authorization;
};

// The target of gRPC for `servers`: itself if it is one, else an "ipv4:" or
// "ipv6:" list of what the names resolve to now. Blocks on DNS.
// INVALID_ARGUMENT "server: why".
absl::StatusOr<std::string> TargetOf(std::string_view servers);

// Reads the files and makes the channel; connects to nothing yet.
// INVALID_ARGUMENT "field: why".
absl::StatusOr<Line> OpenLine(const ConnectOptions& options);

}  // namespace bvhmill::client
