#pragma once

// The formats of the outputs in the results of a job.

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/v1/result.pb.h"

namespace bvhmill::client {

// Returns a request for each output of `result`, in their order. An item may
// have options of its own, so the output itself tells its format: that of the
// one of `requests` with its id and its media type; else the format with its id
// as name and its media type; else the only format with its media type.
// FAILED_PRECONDITION if an output has none of these, or if two outputs would
// have the same file. O(outputs x formats).
absl::StatusOr<std::vector<OutputRequest>> RequestsOf(
    const v1::ClipResult& result, std::span<const OutputRequest> requests);

}  // namespace bvhmill::client
