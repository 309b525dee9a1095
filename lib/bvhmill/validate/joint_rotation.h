#pragma once

// Rotations of joints in single rows, in double precision. For few rows: it is
// slow.

#include <limits>
#include <span>

#include "bvhmill/clip/skeleton.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// The local rotation of `node` in `row`, which has a value for each channel of
// the skeleton. Repeated rotations compose.
Quat<double> RotationOf(const Skeleton& skeleton, const Node& node,
                        std::span<const float> row);

// The largest angle by which a joint turns between the rows `a` and `b`, in
// degrees. An empty `b` is the rest pose. An angle above `enough` ends the
// search, and is the result. NaN if a value before it is not a number.
// O(channels).
double LargestAngle(const Skeleton& skeleton, std::span<const float> a,
                    std::span<const float> b,
                    double enough = std::numeric_limits<double>::infinity());

}  // namespace bvhmill
