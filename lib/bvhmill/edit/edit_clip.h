#pragma once

// Edits a clip whose rows are all in memory.

#include <cstdint>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct MotionSize {
  int64_t frames = 0;
  int64_t columns = 0;
};

// Bounds the growth of a clip, so that little text cannot take much memory. OK
// if the edits do not add frames. RESOURCE_EXHAUSTED if the edited clip has
//
//   more frames than limits.max_frames;
//   more values than the source, and than a text of limits.max_clip_bytes
//       could hold; or
//   64 x (frames of the source + 1) frames or more, and more than 4 Mi values.
//
// A limit of 0 is no limit. If max_frames and another bound are exceeded, the
// error names the lower one.
absl::Status CheckGrowth(const MotionSize& source, const MotionSize& edited,
                         const Limits& limits);

// Replaces `clip` by its edited form, which a ClipEditor makes; repairs are not
// made here. `conventions` say how its positions are read. On an error `clip`
// is unchanged, or edited but not raised to the floor. Fails as
// ClipEditor::Make and CheckGrowth do, and with the errors of `budget`.
// `budget` may be null; the memory of the edited rows and the work are drawn
// from it. Both clips are in memory for a while. O(frames x nodes). `log` gets
// EDIT_BODY_MOVES, EDIT_UP_AXIS_GUESSED and the issues of RenameJoints, and may
// be null.
//
// To hold roots in place, and to put the lowest joint on the floor, the up axis
// must be known. If `edits` do not state it, it is guessed (up_guess.h);
// FAILED_PRECONDITION if the clip does not show it.
//
// If `spare` is not null, the edited rows take its memory, and it receives the
// memory of the rows before. A caller that edits clip after clip thus allocates
// no new memory.
absl::Status EditClip(const ClipEdits& edits, const Conventions& conventions,
                      const Limits& limits, Budget* budget, Clip* clip,
                      IssueLog* log,
                      UninitializedVector<float>* spare = nullptr);

}  // namespace bvhmill
