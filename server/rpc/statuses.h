#pragma once

// Converts the absl::Status of a call to the grpc::Status that ends the call.

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace bvhmill::server {

// Returns the code and the message of `status`, and its CallError as details of
// google.rpc: see bvhmill/wire/status.h. Never throws: if memory is short, the
// result has the code only. Thread-safe.
grpc::Status ToGrpc(const absl::Status& status) noexcept;

}  // namespace bvhmill::server
