#pragma once

// Errors on the wire: a code and a message, with the details of google.rpc.

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/status.pb.h"

namespace bvhmill::wire {

// ErrorInfo.domain of every error of this API.
inline constexpr std::string_view kErrorDomain = "bvhmill.v1";

// The status with its fault, for inside of results.
v1::Status ToProto(const absl::Status& status, const Fault& fault);
absl::Status FromProto(const v1::Status& message);

// Bytes of google.rpc.Status, for grpc-status-details-bin; none if there is no
// detail to give. Details: ErrorInfo if there
// is a reason, QuotaFailure if the fault has a "limit_name", RetryInfo if it
// has "retry_after_ms", ResourceInfo if it has "resource_type" and
// "resource_name", BadRequest if the message reads "field: why" and the code is
// INVALID_ARGUMENT, unless the fault has a reason and no "field". At most 2 KiB
// of details; longer values are cut.
std::string SerializeDetails(const absl::Status& status, const Fault& fault);

// The fault that SerializeDetails wrote; empty if `bytes` hold none.
Fault ParseFault(std::string_view bytes);

}  // namespace bvhmill::wire
