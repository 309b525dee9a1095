#pragma once

// Places in a file as places of a report, with joint, frame and channel.

#include <cstdint>

#include "bvhmill/base/text_position.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

// `place` of the node `node` of `skeleton`.
Location LocationAt(const TextPosition& place, const Skeleton& skeleton,
                    int32_t node);

// `place` of the value in `frame` and `column` of MOTION.
Location LocationAt(const TextPosition& place, const Skeleton& skeleton,
                    int64_t frame, int64_t column);

}  // namespace bvhmill
