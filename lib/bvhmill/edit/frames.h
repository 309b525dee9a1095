#pragma once

// Edits of the frames of a clip: which it has, and how many a second.

#include "absl/status/status.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/editing.h"

namespace bvhmill {

// Takes the frames of `edits.frames` or `edits.trim`, then changes the rate as
// fps or state_fps ask. INVALID_ARGUMENT if the range begins after the
// last frame. FAILED_PRECONDITION if resampling or trimming needs a frame time
// and the clip states none that is usable. O(frames x columns) of the result.
absl::Status EditFrames(const ClipEdits& edits, Editing* editing);

}  // namespace bvhmill
