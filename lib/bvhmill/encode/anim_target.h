#pragma once

// Checks whether an .anim can hold a clip, by all but its rows. Private to
// encode/.

#include "bvhmill/encode/avatar_names.h"
#include "bvhmill/encode/encode.h"

namespace bvhmill {

// Logs TARGET_ANIM_ issues to context.log, which must not be null. Draws
// kAvatarNameUnits of work for each node from context.budget. If the
// budget refuses, the checks are done anyway; the next draw fails.
void CheckAnimTarget(const AnimFormat& format, const EncodeContext& context);

}  // namespace bvhmill
