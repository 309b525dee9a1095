#pragma once

// Edits a clip that is in memory as a whole. Private to pipeline/.

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/workspace.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The error of edits that failed with `status` on a clip: INVALID_ARGUMENT gets
// the reason EDIT_DOES_NOT_FIT, since options that fit no clip are refused
// before the clip is read.
absl::Status ErrorOfEdit(const absl::Status& status);

// Repairs and edits workspace->clip and describes it anew in result->info. Does
// nothing if the options ask for no edits. `log` gets the changes of repairs
// and the issues of EditClip, and may be null if there are no repairs. Fails as
// RepairClip and EditClip do, with ErrorOfEdit of its status, and leaves
// result->info as it was.
absl::Status EditStage(const ConvertOptions& options, Budget* budget,
                       Workspace* workspace, IssueLog* log,
                       ConvertResult* result);

}  // namespace bvhmill
