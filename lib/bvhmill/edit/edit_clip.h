#pragma once

// The edits of a clip that is held whole.

#include <cstdint>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/clip_edits.h"

namespace bvhmill {

struct MotionSize {
  int64_t frames = 0;
  int64_t columns = 0;
};

// A clip that grows must not grow beyond what could have been sent, and not out
// of all proportion to what was: RESOURCE_EXHAUSTED if the edited clip has more
// frames than limits.max_frames, more values than a text of
// limits.max_clip_bytes could hold, or more than 64 times those of the source
// and 4 million. Where it exceeds several of these, the lowest is named.
absl::Status CheckGrowth(const MotionSize& source, const MotionSize& edited,
                         const Limits& limits);

// Replaces `clip`, whose positions are read by `conventions`, by its edited
// self, through a ClipEditor; if this fails it is as it was. Fails as
// ClipEditor::Make does; as CheckGrowth does; as `budget` does, which may be
// null, and from which the memory of the edited rows and the work are drawn.
// Both clips are in memory for a while. O(frames x nodes).
//
// `spare`, if there is one, gives the edited rows its memory and gets that of
// the rows before, so that one clip after the other takes none anew.
absl::Status EditClip(const ClipEdits& edits, const Conventions& conventions,
                      const Limits& limits, Budget* budget, Clip* clip,
                      UninitializedVector<float>* spare = nullptr);

}  // namespace bvhmill
