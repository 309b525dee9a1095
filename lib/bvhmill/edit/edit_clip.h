#pragma once

// Edits a clip whose rows are all in memory. editing.h declares the single
// edits.
//
//   ClipEdits edits;
//   edits.fps = 30;
//   BVHMILL_RETURN_IF_ERROR(EditClip(edits, conventions, limits,
//                                    /*budget=*/nullptr, &clip, &log));

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Applies `edits` to `clip`, one after the other, in the order of the fields of
// ClipEdits. It applies no repairs: RepairClip does (repair.h). `conventions`
// say how positions are read, before the edits and after. On an error `clip` is
// partly edited.
//
// Fails as CheckEdits does. INVALID_ARGUMENT also if the edits do not fit the
// clip: a joint does not exist, or the frame range begins after the last frame.
// FAILED_PRECONDITION also for resampling a clip without a usable frame time.
// RESOURCE_EXHAUSTED as CheckGrowth (editing.h), and the errors of `budget`,
// from which memory and work are drawn; it may be null. `log` gets the issues
// EDIT_*, and may be null.
//
// in_place and floor need the up axis. If `edits` do not state it, it is
// guessed (up_guess.h); FAILED_PRECONDITION if the clip does not show it.
//
// If `spare` is not null, edited rows are written to its memory, and it
// receives the memory of the old rows. So a caller that edits many clips
// allocates no new memory. O(frames x nodes).
absl::Status EditClip(const ClipEdits& edits, const Conventions& conventions,
                      const Limits& limits, Budget* budget, Clip* clip,
                      IssueLog* log,
                      UninitializedVector<float>* spare = nullptr);

}  // namespace bvhmill
