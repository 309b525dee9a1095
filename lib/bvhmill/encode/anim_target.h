#pragma once

// What an .anim could not hold of a clip, told without its rows. Private to
// encode/.

#include <string>
#include <vector>

#include "bvhmill/encode/encoder.h"

namespace bvhmill {

// The names of the avatar's joints that the nodes of `skeleton` drive by the
// map of `format`, as ClipToAnimOptions has them; none if there is no map. The
// map must be one that CheckAnimFormat passes. Cost, memory included: as below
// for each node; it draws nothing.
inline constexpr int64_t kAvatarNameUnits = 150;
inline constexpr int64_t kAvatarNameBytes = 64;
std::vector<std::string> AvatarNames(const AnimFormat& format,
                                     const Skeleton& skeleton);

// Logs TARGET_ANIM_ issues to context.log. Cost: kAvatarNameUnits a node, which
// context.budget counts; whether it refuses them is seen when more is drawn.
void CheckAnimTarget(const AnimFormat& format, const EncodeContext& context);

}  // namespace bvhmill
