#pragma once

// The options of one clip.

#include "absl/status/status.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/v1/clip_service.pb.h"

namespace bvhmill::server {

// Fills `options`, except its source format, from the `message` of a request,
// with the `limits` of the server. Errors are those of wire::FromProto, as
// CallErrors; too many outputs are LIMIT_EXCEEDED of max_outputs_per_clip.
absl::Status ReadClipOptions(const Limits& limits,
                             const v1::ConvertOptions& message,
                             ConvertOptions* options);

}  // namespace bvhmill::server
