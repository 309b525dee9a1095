#pragma once

// The errors that the server makes itself, each as the absl::Status of a
// CallError. This file is independent of gRPC: where a call ends, ToGrpc of
// statuses.h makes a status of gRPC. docs/api.md, section 4, lists the errors.
//
// Any thread may call the functions.

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "server/auth/caller.h"

namespace bvhmill::server {

// RESOURCE_EXHAUSTED, LIMIT_EXCEEDED: `value` exceeds the limit `limit_name`.
absl::Status LimitExceeded(std::string_view limit_name, int64_t limit,
                           int64_t value);

// UNAUTHENTICATED: the call shows no token that the server knows.
absl::Status TokenUnknown();

// PERMISSION_DENIED: the token `caller` lacks `scope`, which `method` needs.
absl::Status ScopeMissing(std::string_view caller, std::string_view method,
                          Scope scope);

// RESOURCE_EXHAUSTED, SERVER_BUSY: the system has no memory for the work. The
// first call makes the status; later calls allocate no memory.
absl::Status OutOfMemory();

// INTERNAL: a fault of the server. Details are only in its log.
absl::Status InternalFault();

// RESOURCE_EXHAUSTED, SERVER_BUSY: `value` calls exceed the limit `limit_name`
// for a moment.
absl::Status ServerBusy(std::string_view limit_name, int64_t limit,
                        int64_t value);

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

// INVALID_ARGUMENT: a message of a stream comes where the protocol does not
// allow it.
absl::Status StreamOutOfOrder(const char* why);

// DEADLINE_EXCEEDED, REQUEST_SLOW: a unary request did not arrive within
// max_request_seconds.
absl::Status RequestSlow(int64_t seconds);

// DEADLINE_EXCEEDED, STREAM_IDLE: no byte of an unfinished clip came, or the
// peer accepted nothing, for more than idle_seconds.
absl::Status StreamIdle(int64_t seconds);
// The same for a stream without an unfinished clip: no clip began for more than
// idle_between_seconds.
absl::Status StreamIdleBetween(int64_t seconds);
// DEADLINE_EXCEEDED, STREAM_SLOW: a clip came more slowly than
// min_upload_bytes_per_second over idle_seconds.
absl::Status StreamSlow(int64_t bytes_per_second);

}  // namespace bvhmill::server
