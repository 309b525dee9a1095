#include "bvhmill/pipeline/internal/rows/row_editor.h"

#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/pipeline/internal/costs.h"

namespace bvhmill {

absl::Status RowEditor::Begin(const ConvertOptions& options,
                              const ClipHeader& header, Budget* budget,
                              IssueLog* log) {
  auto editor = ClipEditor::Make(options.edits, options.conventions,
                                 header.skeleton(), header.frame_time,
                                 std::nullopt, options.limits, budget, log);
  if (!editor.ok()) return editor.status();
  editor_.emplace(*std::move(editor));
  limits_ = options.limits;
  source_width_ = header.width();
  return DrawDescription(editor_->skeleton(), budget);
}

absl::Status RowEditor::Edit(int64_t frames, std::span<const float> values,
                             int64_t most, int64_t* used) {
  rows_.frames = 0;
  rows_.values.clear();
  BVHMILL_RETURN_IF_ERROR(
      editor_->PushSome(frames, values, most, &rows_, used));
  taken_ += *used;
  // A row that completes too many frames is refused before these are used.
  return CheckGrowth({taken_, source_width_},
                     {editor_->FramesOfTaken(), width()}, limits_);
}

absl::Status RowEditor::CheckFit(int64_t frames) const {
  BVHMILL_RETURN_IF_ERROR(editor_->CheckRange(frames));
  return CheckGrowth({frames, source_width_}, {FramesOf(frames), width()},
                     limits_);
}

}  // namespace bvhmill
