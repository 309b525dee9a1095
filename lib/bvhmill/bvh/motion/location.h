#pragma once

// Converts positions in a file to locations of a report, with joint, frame and
// channel.

#include <cstdint>

#include "bvhmill/base/text_position.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

// The location of `node` at position `place`.
Location LocationAt(const TextPosition& place, const Skeleton& skeleton,
                    int32_t node);

// The location of the value in `frame` and `column` of MOTION, at position
// `place`.
Location LocationAt(const TextPosition& place, const Skeleton& skeleton,
                    int64_t frame, int64_t column);

}  // namespace bvhmill
