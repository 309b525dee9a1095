#pragma once

// Edits rows as they come. Private to pipeline/.

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/edit/clip_editor.h"
#include "bvhmill/pipeline/options.h"

namespace bvhmill {

// A ClipEditor and the rows that it has made. Begin, Edit for rows in order,
// End. All statuses are those of the editor, of CheckGrowth and of the budget.
class RowEditor {
 public:
  // Compiles the edits of `options`, which ask for some. `log` gets their
  // issues. All must outlive it.
  absl::Status Begin(const ConvertOptions& options, const ClipHeader& header,
                     Budget* budget, IssueLog* log);
  bool has_begun() const { return editor_.has_value(); }

  const Skeleton& skeleton() const { return editor_->skeleton(); }
  double frame_time() const { return editor_->frame_time(); }
  int64_t width() const {
    return static_cast<int64_t>(skeleton().channels.size());
  }
  // The edited frames of a source with `frames`; see ClipEditor.
  int64_t FramesOf(int64_t frames) const { return editor_->FramesOf(frames); }

  // Replaces rows() by at most `most` edited rows. `*used` source rows were
  // taken; the rest must come again.
  absl::Status Edit(int64_t frames, std::span<const float> values, int64_t most,
                    int64_t* used);
  const EditedRows& rows() const { return rows_; }
  // The last row that was taken completes more frames.
  bool has_more() const { return editor_.has_value() && editor_->has_more(); }

  // All rows came.
  absl::Status End() const { return editor_->Finish(); }
  // Checks whether the edits fit a source of `frames` frames, whose rows were
  // not all edited.
  absl::Status CheckFit(int64_t frames) const;

 private:
  std::optional<ClipEditor> editor_;
  Limits limits_;
  int64_t source_width_ = 0;
  // Source rows that were taken.
  int64_t taken_ = 0;
  EditedRows rows_;
};

}  // namespace bvhmill
