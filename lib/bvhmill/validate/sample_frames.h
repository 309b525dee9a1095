#pragma once

// A few frames of a clip. Private to validate/.

#include <array>
#include <cstdint>

#include "bvhmill/validate/checked_clip.h"

namespace bvhmill {

// The first frame, the last one whose number is a power of two, and the last
// one. In short clips several are the same. Requires a frame.
std::array<int64_t, 3> SampleFrames(const CheckedClip& clip);

}  // namespace bvhmill
