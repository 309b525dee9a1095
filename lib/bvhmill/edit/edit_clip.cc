#include "bvhmill/edit/edit_clip.h"

#include <algorithm>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/clip_editor.h"

namespace bvhmill {
namespace {

// By how many times a clip may grow, and how many values it may have whatever
// it came from; so that little text does not take much memory.
constexpr int64_t kMostGrowth = 64;
constexpr int64_t kFreeValues = int64_t{4} << 20;

// A value takes two bytes of text, at least: a digit and a blank.
constexpr int64_t kBytesPerValue = 2;

absl::Status TooManyValues(const std::string& why) {
  return MakeStatus(absl::StatusCode::kResourceExhausted,
                    "options.edits.resample_fps: the clip would have more "
                    "values than " +
                        why);
}

// A clip that grows must not grow beyond what could have been sent, and not out
// of all proportion to what was.
absl::Status CheckSize(const ClipEditor& editor, const Clip& clip,
                       const Limits& limits) {
  const auto columns = static_cast<int64_t>(editor.skeleton().channels.size());
  const int64_t frames = *editor.frames();
  if (columns == 0 || frames <= clip.motion.frames) return absl::OkStatus();
  const auto values = static_cast<int64_t>(clip.motion.values.size());
  if (frames / kMostGrowth > clip.motion.frames &&
      frames > kFreeValues / columns) {
    return TooManyValues(std::to_string(kMostGrowth) + " times its own");
  }
  const int64_t most = std::max(limits.max_clip_bytes / kBytesPerValue, values);
  if (limits.max_clip_bytes == 0 || frames <= most / columns) {
    return absl::OkStatus();
  }
  return TooManyValues("a text of max_clip_bytes = " +
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
