#pragma once

// A few frames of a clip, and positions in them. Private to validate/.

#include <array>
#include <cstdint>
#include <optional>

#include "bvhmill/validate/checked_clip.h"

namespace bvhmill {

using Vec3f = std::array<float, 3>;

// The first frame, the last one whose number is a power of two, and the last
// one. In short clips several are the same. Requires a frame.
std::array<int64_t, 3> SampleFrames(const CheckedClip& clip);

// The values of the position channels of `node` in a frame; nullopt unless it
// has all three.
std::optional<Vec3f> PositionAt(const CheckedClip& clip, const Node& node,
                                int64_t frame);

}  // namespace bvhmill
