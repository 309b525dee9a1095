#pragma once

// Makes a status of gRPC of a status of the server, where a call ends.

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace bvhmill::server {

// The code, the message and, as details of google.rpc, the CallError of
// `status`; see bvhmill/wire/status.h. Never throws: without memory for the
// details it gives the code alone. Any thread.
grpc::Status ToGrpc(const absl::Status& status) noexcept;

}  // namespace bvhmill::server
