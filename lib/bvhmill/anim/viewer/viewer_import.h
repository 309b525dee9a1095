#pragma once

// Converts BVH to .anim exactly as the viewer's import does: the result is the
// upload of the file before the user changes anything in the upload dialog.
// This is the profile `viewer`. (clip_to_anim.h is the profile `best`.)
//
//   AnimMotion motion;
//   BVHMILL_RETURN_IF_ERROR(ImportAsViewer(clip, &motion, &log));
//   return WriteAnim(motion, &sink);
//
// docs/formats/anim.md, section 6, has the rules. All arithmetic is in single
// precision and in the order of the viewer, so the bytes are those of a viewer
// that is built without fused multiplications. Codes of other builds may differ
// by one.

#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/anim/viewer/viewer_loader.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Sets `motion` to the motion that the viewer makes of `take`: joints that
// move, with reduced keys, priority 2, no loop, both eases 0.3 s. It may have
// no joints. The viewer checks the motion after its import: call CheckAnim for
// this (strict severities are those of an upload). Fails with the errors of
// `budget`, which may be null: CANCELLED or RESOURCE_EXHAUSTED, with an empty
// motion.
//
// Cost: about 80 ns for each joint and frame, drawn from `budget` as work, in
// units of a nanosecond, at most 20 million at a time. Memory: 54 bytes for
// each frame until it returns, and KeyBytes of the result, at most 16 bytes for
// each joint and frame; drawn before it is allocated. KeyBytes(*motion) remain
// drawn: the caller returns them when it frees the motion.
absl::Status ImportViewerTake(const ViewerTake& take, AnimMotion* motion,
                              Budget* budget = nullptr);

// As above for a clip. FAILED_PRECONDITION, with ANIM_IMPORT_REFUSED in the
// log, if the viewer refuses it; `motion` is then empty. Logs no issue for an
// error of `budget`. Does not check the result. Cost and memory: as above, and
// 100 ns and 184 bytes for each joint.
absl::Status ImportAsViewer(const Clip& clip, AnimMotion* motion, IssueLog* log,
                            Budget* budget = nullptr);

// As above for BVH text, read as the viewer reads it, without a budget. False,
// with ANIM_IMPORT_REFUSED in the log, if the viewer refuses the text.
bool ImportTextAsViewer(std::string_view text, AnimMotion* motion,
                        IssueLog* log);

}  // namespace bvhmill
