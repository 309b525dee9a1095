#pragma once

// Makes the outputs of a clip that is in memory as a whole. Private to
// pipeline/.

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/workspace.h"

namespace bvhmill {

// Solves the tiles of `clip` in the threads of `parallel` and gives all outputs
// of workspace->stage to `receiver`. `compiled` has the plan of the skeleton;
// null: one is made. Fills result->outputs; result->info must be set, and there
// must be buffers for all threads. Memory and work are drawn from `budget`,
// whose refusals are returned.
absl::Status EncodeClip(const Clip& clip, const CompiledSkeleton* compiled,
                        Parallel* parallel, OutputReceiver* receiver,
                        Budget* budget, Workspace* workspace,
                        ConvertResult* result);

}  // namespace bvhmill
