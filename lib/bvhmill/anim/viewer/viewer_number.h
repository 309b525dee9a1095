#pragma once

// Numbers as the viewer's import takes them. Private to anim/.

#include <cstdint>
#include <string_view>

namespace bvhmill {

// The whole of `word` as a float, correctly rounded: decimal, or nan, inf,
// infinity in any case. False for anything else, and beyond the range.
bool ParseViewerFloat(std::string_view word, float* value);

// The number at the beginning of `text`, behind blanks; what follows it does
// not count. False, and `*value` is as before, if there is none. Integers
// beyond the range become its end.
bool LeadingInteger(std::string_view text, int64_t* value);
bool LeadingFloat(std::string_view text, float* value);

}  // namespace bvhmill
