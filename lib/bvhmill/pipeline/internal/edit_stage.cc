#include "bvhmill/pipeline/internal/edit_stage.h"

#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/edit/repair/repair_clip.h"
#include "bvhmill/pipeline/internal/costs.h"
#include "bvhmill/pipeline/internal/stopwatch.h"

namespace bvhmill {

absl::Status ErrorOfEdit(const absl::Status& status) {
  if (!absl::IsInvalidArgument(status)) return status;
  CallError error = CallErrorOf(status);
  error.reason = "EDIT_DOES_NOT_FIT";
  error.args = {{"why", error.message}};
  return MakeCallError(std::move(error));
}

absl::Status EditStage(const ConvertOptions& options, Budget* budget,
                       Workspace* workspace, IssueLog* log,
                       ConvertResult* result) {
  if (IsEmpty(options.edits)) return absl::OkStatus();
  const StageTimer timer(&result->times.edit);
  Clip& clip = workspace->clip;
  absl::Status status =
      RepairClip(options.edits.repairs, Thresholds(options.report.thresholds),
                 budget, &clip, log);
  if (!status.ok()) return status;
  ClipEdits others = options.edits;
  others.repairs = {};
  if (!IsEmpty(others)) {
    status = EditClip(others, options.conventions, options.limits, budget,
                      &clip, log, &workspace->spare_values);
  }
  if (status.ok()) status = DrawDescription(clip.skeleton, budget);
  if (!status.ok()) return ErrorOfEdit(status);
  result->info =
      DescribeClip(clip.skeleton, clip.motion.frames, clip.motion.frame_time);
  return absl::OkStatus();
}

}  // namespace bvhmill
