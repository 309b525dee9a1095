#include "bvhmill/pipeline/internal/edit_stage.h"

#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/pipeline/internal/costs.h"
#include "bvhmill/pipeline/internal/stopwatch.h"

namespace bvhmill {
Fault FaultOfEdit(const absl::Status& status) {
  Fault fault = FaultOfOptions(status);
  if (!absl::IsInvalidArgument(status)) return fault;
  const std::string message(MessageOf(status));
  const size_t colon = message.find(": ");
  fault.reason = "EDIT_DOES_NOT_FIT";
  if (colon == std::string::npos) return fault;
  fault.metadata = {{"field", message.substr(0, colon)},
                    {"why", message.substr(colon + 2)}};
  return fault;
}

absl::Status EditStage(const ConvertOptions& options, Budget* budget,
                       Workspace* workspace, ConvertResult* result,
                       Fault* fault) {
  if (IsEmpty(options.edits)) return absl::OkStatus();
  const StageTimer timer(&result->times.edit);
  Clip& clip = workspace->clip;
  absl::Status status =
      EditClip(options.edits, options.conventions, options.limits, budget,
               &clip, &workspace->spare_values);
  if (status.ok()) status = DrawDescription(clip.skeleton, budget);
  if (status.ok()) {
    result->info = DescribeClip(clip);
  } else {
    *fault = FaultOfEdit(status);
  }
  return status;
}

}  // namespace bvhmill
