#pragma once

// BVH to .anim as the viewer's import does it, to the byte: what an upload of
// the file would give, before its dialog is used.
//
// docs/formats/anim.md, section 6, has the rules. All arithmetic is in single
// precision and in the order of the viewer's, so the bytes are those of a
// viewer that is built without fused multiplications. Other builds of it may
// differ by a code.

#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/anim/viewer/viewer_take.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Sets `motion` to that which the viewer makes of `take`: joints that move,
// with reduced keys, priority 2, no loop, both eases 0.3 s. The viewer checks
// it when it has made it; CheckAnim does so (strict severities are those of an
// upload). May have no joints. Fails as `budget` does, which may be null:
// CANCELLED or RESOURCE_EXHAUSTED, with an empty motion.
//
// Cost: about 80 ns a joint and frame, drawn from `budget` as work, in units of
// a nanosecond, at most 20 million at a time. Memory: 54 bytes a frame until it
// returns, and KeyBytes of the result, at most 16 bytes a joint and frame;
// drawn before it is taken. KeyBytes(*motion) remain drawn: the caller gives
// them back when the motion is freed.
absl::Status ImportViewerTake(const ViewerTake& take, AnimMotion* motion,
                              Budget* budget = nullptr);

// The same of a clip. FAILED_PRECONDITION, with ANIM_IMPORT_REFUSED in the log,
// if the viewer refuses it; `motion` is then empty. Fails as `budget` does,
// with no issue about it. Does not check the result. Cost and memory: as above,
// and 100 ns and 184 bytes a joint.
absl::Status ImportAsViewer(const Clip& clip, AnimMotion* motion, IssueLog* log,
                            Budget* budget = nullptr);

// The same of a text, by the viewer's own way of reading it, without a budget.
// False if the viewer refuses it.
bool ImportTextAsViewer(std::string_view text, AnimMotion* motion,
                        IssueLog* log);

}  // namespace bvhmill
