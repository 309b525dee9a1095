#pragma once

// The second half of the mill: a clip to its outputs. Private to pipeline/.

#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// Solves `clip` tile by tile and hands every output to `receiver`. Fills
// result->outputs and the times of the stages; result->info must be set.
absl::Status EncodeClip(const Clip& clip, const ConvertOptions& options,
                        OutputReceiver* receiver, const CancelToken* cancel,
                        ConvertResult* result);

}  // namespace bvhmill
