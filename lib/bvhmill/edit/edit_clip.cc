#include "bvhmill/edit/edit_clip.h"

#include <algorithm>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/clip_editor.h"

namespace bvhmill {
namespace {

// A value takes two bytes of text, at least: a digit and a blank.
constexpr int64_t kBytesPerValue = 2;

// A clip that grows must not grow beyond what could have been sent.
absl::Status CheckSize(const ClipEditor& editor, const Clip& clip,
                       const Limits& limits) {
  const auto columns = static_cast<int64_t>(editor.skeleton().channels.size());
  const int64_t frames = *editor.frames();
  if (columns == 0 || limits.max_clip_bytes == 0) return absl::OkStatus();
  const int64_t most =
      std::max(limits.max_clip_bytes / kBytesPerValue,
               static_cast<int64_t>(clip.motion.values.size()));
  if (frames <= std::max(most / columns, clip.motion.frames)) {
    return absl::OkStatus();
  }
  return MakeStatus(absl::StatusCode::kResourceExhausted,
                    "options.edits.resample_fps: the clip would have more "
                    "values than a text of max_clip_bytes = " +
                        std::to_string(limits.max_clip_bytes) + " can hold");
}

absl::Status EditRows(const Motion& motion, ClipEditor* editor,
                      EditedRows* rows) {
  rows->values.reserve(static_cast<size_t>(*editor->frames()) *
                       editor->skeleton().channels.size());
  BVHMILL_RETURN_IF_ERROR(editor->Push(motion.frames, motion.values, rows));
  return editor->Finish();
}

}  // namespace

absl::Status EditClip(const ClipEdits& edits, const Conventions& conventions,
                      const Limits& limits, const CancelToken* cancel,
                      Clip* clip, UninitializedVector<float>* spare) {
  absl::StatusOr<ClipEditor> editor = ClipEditor::Make(
      edits, conventions, clip->skeleton, clip->motion.frame_time,
      clip->motion.frames, limits, cancel);
  if (!editor.ok()) return editor.status();
  BVHMILL_RETURN_IF_ERROR(CheckSize(*editor, *clip, limits));
  EditedRows rows;
  if (spare != nullptr) rows.values.swap(*spare);
  rows.values.clear();
  const absl::Status status = EditRows(clip->motion, &*editor, &rows);
  if (status.ok()) {
    clip->skeleton = editor->skeleton();
    clip->motion.frames = rows.frames;
    clip->motion.frame_time = editor->frame_time();
    clip->motion.values.swap(rows.values);
  }
  if (spare != nullptr) spare->swap(rows.values);
  return status;
}

}  // namespace bvhmill
