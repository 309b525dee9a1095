#pragma once

// The formats of the outputs of a job's results.

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/v1/result.pb.h"

namespace bvhmill::client {

// A request for each output of `result`, in their order. An item may have
// options of its own, so the outputs themselves are asked: an output is that of
// `requests` with its id, or of the format with that name, or of the only
// format with its media type. FAILED_PRECONDITION if an output is none of
// these, or if two outputs would have the same file. O(outputs x formats).
absl::StatusOr<std::vector<OutputRequest>> RequestsOf(
    const v1::ClipResult& result, std::span<const OutputRequest> requests);

}  // namespace bvhmill::client
