#pragma once

// Names in BVH files are bytes without a stated encoding. These functions turn
// them into text that can be shown and sent. The original bytes are kept
// elsewhere and written back unchanged.

#include <cstddef>
#include <string>
#include <string_view>

namespace bvhmill {

// True if `bytes` is well-formed UTF-8 (no surrogates, no overlong forms).
bool IsUtf8(std::string_view bytes);

// Converts `bytes` to UTF-8. Valid UTF-8 is returned unchanged. Other bytes are
// read as Shift-JIS (CP932) if they are valid in it, otherwise as Latin-1.
// Never fails.
std::string ToUtf8(std::string_view bytes);
// Writes the same into `out` and reuses its memory.
void ToUtf8Into(std::string_view bytes, std::string* out);

// The first `max_bytes` of `bytes`, at most, as printable text for messages:
// UTF-8, with control characters (also of direction) and invalid bytes as \xNN,
// and "..." if bytes were cut off. It has up to 4 * max_bytes + 3 bytes.
std::string Excerpt(std::string_view bytes, size_t max_bytes = 80);

// The excerpt of `bytes` in single quotes.
std::string Quote(std::string_view bytes);

}  // namespace bvhmill
