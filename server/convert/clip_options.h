#pragma once

// The options of one clip.

#include "absl/status/status.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/v1/clip_service.pb.h"

namespace bvhmill::server {

// Fills `options` from the `message` of a request, within the `limits` of the
// server. The status of the first field that is refused, as a CallError.
absl::Status ReadClipOptions(const Limits& limits,
                             const v1::ConvertOptions& message,
                             ConvertOptions* options);

}  // namespace bvhmill::server
