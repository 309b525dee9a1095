#pragma once

// Statuses of the library as statuses of gRPC.

#include <grpcpp/support/status.h>

#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"
#include "server/auth/caller.h"

namespace bvhmill::server {

// With the details of google.rpc; see bvhmill/wire/status.h.
grpc::Status ToGrpc(const absl::Status& status, const Fault& fault = {});

// The other way.
absl::Status FromGrpc(const grpc::Status& status, Fault* fault);

// RESOURCE_EXHAUSTED that names the field of Limits which was exceeded.
grpc::Status LimitExceeded(std::string_view limit_name, int64_t limit,
                           int64_t value);

// UNAUTHENTICATED for a call without a token that is known.
grpc::Status TokenUnknown();

// PERMISSION_DENIED for a token that lacks `scope`, which `method` needs.
grpc::Status ScopeMissing(std::string_view caller, std::string_view method,
                          Scope scope);

// RESOURCE_EXHAUSTED: the system has no memory left for the work.
grpc::Status OutOfMemory();

// INTERNAL: a fault of the server, of which a peer is told nothing.
grpc::Status InternalFault();

// UNAVAILABLE while the server stops.
grpc::Status Stopping();

// UNIMPLEMENTED for a method that no service has, by its path.
grpc::Status MethodUnknown(std::string_view method);

// UNIMPLEMENTED for an encoding of a source that is not served.
grpc::Status UnknownEncoding(int encoding);

// INVALID_ARGUMENT: the bytes are not the message that the method takes.
grpc::Status MessageBroken();

// INVALID_ARGUMENT: the frames of a stream are not in the order of its grammar.
grpc::Status StreamOutOfOrder(const char* why);

// DEADLINE_EXCEEDED: a peer has kept its stream waiting within a clip for more
// than stream_idle_seconds; or it has sent less of it than
// min_upload_bytes_per_second. Names the limit.
grpc::Status StreamIdle(int64_t seconds);
// The same for a stream that has begun no clip for more than
// stream_idle_between_seconds.
grpc::Status StreamIdleBetween(int64_t seconds);
grpc::Status StreamSlow(int64_t bytes_per_second);

}  // namespace bvhmill::server
