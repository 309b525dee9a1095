#pragma once

// Edits a clip that is in memory as a whole. Private to pipeline/.

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/workspace.h"

namespace bvhmill {

// The fault of edits that failed with `status`. It tells edits that do not fit
// this clip from options that fit no clip.
Fault FaultOfEdit(const absl::Status& status);

// Edits workspace->clip and describes it anew in result->info. Does nothing if
// the options ask for no edits. Fails as EditClip
// does, with result->info as it was and `*fault` set.
absl::Status EditStage(const ConvertOptions& options, Budget* budget,
                       Workspace* workspace, ConvertResult* result,
                       Fault* fault);

}  // namespace bvhmill
