#pragma once

// The errors that the server makes itself, each as the absl::Status of a
// CallError. This file knows nothing of gRPC: ToGrpc of statuses.h makes a
// status of gRPC where a call ends. docs/api.md, section 4, lists the errors.
//
// Every function may be called from any thread.

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "server/auth/caller.h"

namespace bvhmill::server {

// RESOURCE_EXHAUSTED, LIMIT_EXCEEDED: `value` exceeds the limit `limit_name`.
absl::Status LimitExceeded(std::string_view limit_name, int64_t limit,
                           int64_t value);

// UNAUTHENTICATED: the call shows no known token.
absl::Status TokenUnknown();

// PERMISSION_DENIED: the token `caller` lacks `scope`, which `method` needs.
absl::Status ScopeMissing(std::string_view caller, std::string_view method,
                          Scope scope);

// RESOURCE_EXHAUSTED, SERVER_BUSY: the system has no memory for the work. The
// first call makes the status; later calls allocate nothing.
absl::Status OutOfMemory();

// INTERNAL: a fault of the server. Only its log says more.
absl::Status InternalFault();

// UNAVAILABLE: the server is stopping.
absl::Status Stopping();

// UNIMPLEMENTED: no service has the method with the path `method`.
absl::Status MethodUnknown(std::string_view method);

// UNIMPLEMENTED: the server cannot decode this encoding of a source.
absl::Status UnknownEncoding(int encoding);

// UNIMPLEMENTED: the server cannot read this format of a source.
absl::Status UnknownSourceFormat(int format);

// INVALID_ARGUMENT: the bytes are not the message that the method takes.
absl::Status MessageBroken();

// INVALID_ARGUMENT: a message of a stream stands where its grammar allows none.
absl::Status StreamOutOfOrder(const char* why);

// DEADLINE_EXCEEDED, STREAM_IDLE: nothing of an unfinished clip came, or the
// peer accepted nothing, for more than idle_seconds.
absl::Status StreamIdle(int64_t seconds);
// The same for a stream without an unfinished clip: no clip began for more than
// idle_between_seconds.
absl::Status StreamIdleBetween(int64_t seconds);
// DEADLINE_EXCEEDED, STREAM_SLOW: a clip came more slowly than
// min_upload_bytes_per_second over idle_seconds.
absl::Status StreamSlow(int64_t bytes_per_second);

}  // namespace bvhmill::server
