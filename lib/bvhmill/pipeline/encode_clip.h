#pragma once

// A clip that is held whole to its outputs. Private to pipeline/.

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/workspace.h"

namespace bvhmill {

// Solves `clip` tile by tile, tiles by several threads, and hands every output
// of workspace->stage to `receiver`. Fills result->outputs; result->info must
// be set, and there must be buffers for all threads.
absl::Status EncodeClip(const Clip& clip, Parallel* parallel,
                        OutputReceiver* receiver, const CancelToken* cancel,
                        Workspace* workspace, ConvertResult* result);

}  // namespace bvhmill
