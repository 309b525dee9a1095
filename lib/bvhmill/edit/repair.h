#pragma once

// Repairs the faults of a clip whose rows are all in memory: repeated frames,
// an odd frame time, gaps, spikes, wrapped angles. Logs each change.
//
//   Repairs repairs;
//   repairs.unwrap = true;
//   BVHMILL_RETURN_IF_ERROR(RepairClip(repairs, Thresholds(),
//                                      /*budget=*/nullptr, &clip, &log));

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/report/thresholds.h"

namespace bvhmill {

// Applies `repairs` to `clip`, in the order of the fields of Repairs. Logs an
// issue REPAIR_* for each joint, or for the clip, that it changes, with the
// number of changes and the first and last frame. Frames are numbered as in the
// source. `thresholds` define a spike and the distance to a common rate, as for
// the rules that report these faults.
//
// Draws its memory and work from `budget`, which may be null, and returns its
// errors; some repairs may be applied then. O(frames x columns).
absl::Status RepairClip(const Repairs& repairs, const Thresholds& thresholds,
                        Budget* budget, Clip* clip, IssueLog* log);

}  // namespace bvhmill
