#pragma once

// Names in BVH files are bytes without a stated encoding. These functions turn
// them into text that can be shown and sent; the bytes themselves are kept
// elsewhere and written back as they were.

#include <cstddef>
#include <string>
#include <string_view>

namespace bvhmill {

// True if `bytes` is well-formed UTF-8 (no surrogates, no overlong forms).
bool IsUtf8(std::string_view bytes);

// `bytes` as UTF-8: as they are if they are UTF-8, else read as Shift-JIS if
// that fits, else as Latin-1. Never fails.
std::string ToUtf8(std::string_view bytes);
// The same into `out`, whose memory is used again.
void ToUtf8Into(std::string_view bytes, std::string* out);

// At most `max_bytes` of input, made printable: UTF-8, control characters as
// \xNN, "..." behind what was cut. For messages that quote a file.
std::string Excerpt(std::string_view bytes, size_t max_bytes = 80);

// The excerpt in single quotes.
std::string Quote(std::string_view bytes);

}  // namespace bvhmill
