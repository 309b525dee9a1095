#pragma once

// The size of a figure in any pose.

#include <cstdint>
#include <span>

#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

// The longest way from a root to a node. Along a bone it is its OFFSET, or the
// position that a JOINT has in its place: the median of three frames. The
// OFFSET counts all the same if the positions are ignored or do not keep their
// length: they are no bone then. Joints that carry the whole body, on the way
// from a root down to the first joint with several children, have no bone above
// them. `values` are frames x channels. 0 if there are JOINTs and all have the
// OFFSET 0: positions may be places in the world then, and end sites do not
// tell the size of the figure. O(nodes).
double ReachOf(const Skeleton& skeleton, const Conventions& conventions,
               int64_t frames, std::span<const float> values);

}  // namespace bvhmill
