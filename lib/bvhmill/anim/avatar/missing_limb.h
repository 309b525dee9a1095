#pragma once

// Finds an arm, a leg or a spine that a source moves and the avatar would not,
// because the names of its joints are not known. Private to anim/.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct MissingLimb {
  // "left arm", "left forearm", "spine".
  std::string_view limb;
  // The nodes that move it, in file order. They drive no joint.
  std::vector<int32_t> nodes;
};

// The first such limb. `drivers` has for each joint of the avatar the node that
// drives it, or -1. A node is unknown if it drives no joint, and one of its
// angles changes by more than a degree over the clip. The avatar misses
//
// - a half of an arm or a leg, if its joint is not driven, the next one below
//   is, and an unknown node is between that one and its next driver above;
// - the lower half, if an unknown node hangs on the upper half, and no joint
//   from the lower half on is driven;
// - a whole arm or leg, if a chain of two unknown nodes hangs on the trunk
//   (arms: on the spine, the neck or the collar; legs: on the pelvis), and none
//   of its joints is driven;
// - the spine, if none of its joints is driven, and an unknown node is between
//   a neck, a head or an arm and its next driver above.
//
// Cost: one pass over the angles of the nodes that drive nothing. Memory: 40
// bytes for each node until it returns.
std::optional<MissingLimb> FindMissingLimb(const Clip& clip,
                                           std::span<const int32_t> drivers);

}  // namespace bvhmill
