#pragma once

// Numbers in messages of issues.

#include <string>

namespace bvhmill {

// `value` with at most four significant digits: "152.7", "1.41", "3.4e+38".
std::string Short(double value);
// A frame rate with at most five digits: 23.976, 59.94, 120.
std::string ShortRate(double frames_per_second);

}  // namespace bvhmill
