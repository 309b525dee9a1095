#pragma once

// Errors on the wire: a code and a message, with the details of google.rpc.

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/v1/status.pb.h"

namespace bvhmill::wire {

// ErrorInfo.domain of every error of this API.
inline constexpr std::string_view kErrorDomain = "bvhmill.v1";

// The status of a result, and back. Its CallError goes with it: `info` has the
// reason, and the field, limit and args as metadata.
v1::Status ToProto(const absl::Status& status);
absl::Status FromProto(const v1::Status& message);

// The status of a failed call: bytes of google.rpc.Status for
// grpc-status-details-bin; none if there is no detail to give. Details:
// ErrorInfo if there is a reason, QuotaFailure if there is a limit, RetryInfo
// if there is an arg "retry_after_ms", ResourceInfo if there are
// "resource_type" and "resource_name", BadRequest if there is a field and the
// code is INVALID_ARGUMENT. At most 2 KiB of details; longer values are cut.
std::string SerializeDetails(const absl::Status& status);

// The status of a call that failed with `code` and `message`. Its CallError is
// that of `details`, which SerializeDetails wrote; details that cannot be read
// are ignored.
absl::Status FromDetails(absl::StatusCode code, std::string_view message,
                         std::string_view details);

}  // namespace bvhmill::wire
