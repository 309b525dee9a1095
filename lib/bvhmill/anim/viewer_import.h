#pragma once

// BVH to .anim as the viewer's import does it, to the byte: what an upload of
// the file would give, before its dialog is used.
//
// docs/formats/anim.md, section 6, has the rules. All arithmetic is in single
// precision and in the order of the viewer's, so the bytes are those of a
// viewer that is built without fused multiplications. Other builds of it may
// differ by a code.

#include <string_view>

#include "bvhmill/anim/anim_motion.h"
#include "bvhmill/anim/viewer_take.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The motion that the viewer makes of `take`: joints that move, with reduced
// keys, priority 2, no loop, both eases 0.3 s. The viewer checks it when it
// has made it; CheckAnim does so (strict severities are those of an upload).
// May have no joints. Cost: about 55 ns a joint and frame; memory: 80 bytes a
// frame beyond the result.
AnimMotion ImportViewerTake(const ViewerTake& take);

// The same of a clip. False, with ANIM_IMPORT_REFUSED in the log, if the viewer
// refuses it; `motion` is then empty. Does not check the result.
bool ImportAsViewer(const Clip& clip, AnimMotion* motion, IssueLog* log);

// The same of a text, by the viewer's own way of reading it.
bool ImportTextAsViewer(std::string_view text, AnimMotion* motion,
                        IssueLog* log);

}  // namespace bvhmill
