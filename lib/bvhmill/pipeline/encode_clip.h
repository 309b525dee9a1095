#pragma once

// The second half of the mill: a clip to its outputs. Private to pipeline/.

#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/workspace.h"

namespace bvhmill {

// Solves workspace->read.clip tile by tile, tiles by several threads, and hands
// every output to `receiver`. Fills result->outputs and the times of the
// stages, which are those of all threads together; result->info must be set.
absl::Status EncodeClip(const ConvertOptions& options, Parallel* parallel,
                        OutputReceiver* receiver, const CancelToken* cancel,
                        Workspace* workspace, ConvertResult* result);

}  // namespace bvhmill
