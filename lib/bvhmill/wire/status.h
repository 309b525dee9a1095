#pragma once

// Statuses on the wire, and back: the status of a result as a v1::Status, the
// status of a failed call with the details of google.rpc.

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/v1/status.pb.h"

namespace bvhmill::wire {

// ErrorInfo.domain of every error of this API.
inline constexpr std::string_view kErrorDomain = "bvhmill.v1";

// The status of a result, with its CallError: `info` has the reason, and as
// metadata the first ten of field, limit and args. Values that are too long are
// cut, a message after 1 KiB.
v1::Status ToProto(const absl::Status& status);
absl::Status FromProto(const v1::Status& message);

// The status of a failed call: the bytes of a google.rpc.Status, for
// grpc-status-details-bin; empty if there are no details. Details: ErrorInfo
// if there is a reason, QuotaFailure if there is a limit, RetryInfo if there is
// an arg "retry_after_ms", ResourceInfo if there is an arg "resource_type",
// BadRequest if there is a field and the code is INVALID_ARGUMENT. Values that
// are too long are cut, so that the bytes fit the 8 KiB of trailers.
std::string SerializeDetails(const absl::Status& status);

// The status of a call that failed with `code` and `message`. Its CallError is
// read from `details`, the bytes of SerializeDetails. Bytes that cannot be read
// are ignored.
absl::Status FromDetails(absl::StatusCode code, std::string_view message,
                         std::string_view details);

}  // namespace bvhmill::wire
