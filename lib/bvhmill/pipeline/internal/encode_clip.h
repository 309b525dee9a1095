#pragma once

// A clip that is held whole to its outputs. Private to pipeline/.

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/workspace.h"

namespace bvhmill {

// Solves `clip` tile by tile, tiles by several threads, and hands every output
// of workspace->stage to `receiver`. Fills result->outputs; result->info must
// be set, and there must be buffers for all threads. Memory and work are drawn
// from `budget`, whose refusals come back.
absl::Status EncodeClip(const Clip& clip, const CompiledSkeleton* compiled,
                        Parallel* parallel, OutputReceiver* receiver,
                        Budget* budget, Workspace* workspace,
                        ConvertResult* result);

}  // namespace bvhmill
