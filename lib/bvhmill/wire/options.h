#pragma once

// Requests of the API as options of the pipeline.

#include "absl/status/status.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/v1/options.pb.h"

namespace bvhmill::wire {

// Fills `options` from `message`. Keeps limits, source_format, checks_only and
// with_skeleton, which are not in the message. INVALID_ARGUMENT "field: why"
// for a value that the API does not have; the field is a path such as
// "options.outputs[1].format". Otherwise returns the status of CheckOptions.
// The sizes of lists are checked against base/bounds.h before anything is
// copied.
absl::Status FromProto(const v1::ConvertOptions& message,
                       ConvertOptions* options);

// The message that FromProto reads as `options`, without the fields that it
// keeps and the unknown ones.
v1::ConvertOptions ToProto(const ConvertOptions& options);

// The row of the format that `message` asks for; null if it asks for none.
const Format* FormatOf(const v1::OutputRequest& message);

}  // namespace bvhmill::wire
