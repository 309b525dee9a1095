#pragma once

// The edits of a conversion, between reading and encoding. Private to
// pipeline/.

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/workspace.h"

namespace bvhmill {

// Why edits failed, for programs. Those that can be, but not with this clip,
// are told from options that cannot.
Fault FaultOfEdit(const absl::Status& status);

// Edits workspace->clip as the options say and describes it anew in
// result->info; touches nothing if they ask for no edits. Fails as EditClip
// does, with result->info as it was and `*fault` set.
absl::Status EditStage(const ConvertOptions& options, Budget* budget,
                       Workspace* workspace, ConvertResult* result,
                       Fault* fault);

}  // namespace bvhmill
