#pragma once

// Numbers as the viewer's import reads them. Private to anim/.

#include <cstdint>
#include <string_view>

namespace bvhmill {

// Reads the whole of `word` as a float, correctly rounded: a decimal number, or
// nan, inf, infinity in upper or lower case. False for other words, and for
// numbers out of range.
bool ParseViewerFloat(std::string_view word, float* value);

// Read the number at the beginning of `text`, after blanks, and ignore the text
// after it. False, with `*value` unchanged, if there is no number. Integers out
// of range become the nearest limit.
bool LeadingInteger(std::string_view text, int64_t* value);
bool LeadingFloat(std::string_view text, float* value);

}  // namespace bvhmill
