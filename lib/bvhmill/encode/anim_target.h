#pragma once

// Checks without the rows of a clip whether an .anim can hold it. Private to
// encode/.

#include "bvhmill/encode/avatar_names.h"
#include "bvhmill/encode/encoder.h"

namespace bvhmill {

// Logs TARGET_ANIM_ issues to context.log, which must not be null. Draws
// kAvatarNameUnits of work for each node from context.budget. A refusal is
// ignored here: it comes back when more work is drawn.
void CheckAnimTarget(const AnimFormat& format, const EncodeContext& context);

}  // namespace bvhmill
