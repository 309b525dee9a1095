#pragma once

// What an .anim could not hold of a clip, told without its rows. Private to
// encode/.

#include "bvhmill/encode/avatar_names.h"
#include "bvhmill/encode/encoder.h"

namespace bvhmill {

// Logs TARGET_ANIM_ issues to context.log. Cost: kAvatarNameUnits a node, which
// context.budget counts; whether it refuses them is seen when more is drawn.
void CheckAnimTarget(const AnimFormat& format, const EncodeContext& context);

}  // namespace bvhmill
