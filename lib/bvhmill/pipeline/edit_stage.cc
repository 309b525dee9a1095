#include "bvhmill/pipeline/edit_stage.h"

#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/clip_editor.h"
#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/pipeline/stopwatch.h"

namespace bvhmill {
namespace {

MotionSize SizeOf(int64_t frames, const Skeleton& skeleton) {
  return {frames, static_cast<int64_t>(skeleton.channels.size())};
}

// Asks for the memory of the edited rows. OK for edits that cannot be: to say
// so is for EditClip.
absl::Status HoldEdited(const ConvertOptions& options, const Clip& clip,
                        OutputReceiver* receiver) {
  const auto editor = ClipEditor::Make(options.edits, options.conventions,
                                       clip.skeleton, clip.motion.frame_time,
                                       clip.motion.frames, options.limits);
  if (!editor.ok()) return absl::OkStatus();
  const MotionSize edited = SizeOf(*editor->frames(), editor->skeleton());
  if (!CheckGrowth(SizeOf(clip.motion.frames, clip.skeleton), edited,
                   options.limits)
           .ok()) {
    return absl::OkStatus();
  }
  return receiver->HoldClip(edited.frames * edited.columns *
                            static_cast<int64_t>(sizeof(float)));
}

}  // namespace

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

absl::Status EditStage(const ConvertOptions& options, OutputReceiver* receiver,
                       const CancelToken* cancel, Workspace* workspace,
                       ConvertResult* result) {
  if (IsEmpty(options.edits)) return absl::OkStatus();
  const StageTimer timer(&result->times.edit);
  Clip& clip = workspace->read.clip;
  if (receiver != nullptr) {
    BVHMILL_RETURN_IF_ERROR(HoldEdited(options, clip, receiver));
  }
  // Whatever becomes of it.
  workspace->read.rig = 0;
  const absl::Status status =
      EditClip(options.edits, options.conventions, options.limits, cancel,
               &clip, &workspace->spare_values);
  if (status.ok()) {
    result->info = DescribeClip(clip);
  } else {
    result->fault = FaultOfEdit(status);
  }
  return status;
}

}  // namespace bvhmill
