#pragma once

// Names of files and joints may be any bytes. These functions turn them into
// text that can be shown and sent.

#include <cstddef>
#include <string>
#include <string_view>

namespace bvhmill {

// True if `bytes` is well-formed UTF-8 (no surrogates, no overlong forms).
bool IsUtf8(std::string_view bytes);

// Converts `bytes` to UTF-8. Valid UTF-8 is returned unchanged. Other bytes are
// read in the encoding that GuessEncoding finds. Never fails. For one name: all
// names of a file have one encoding (bvh/hierarchy).
std::string ToUtf8(std::string_view bytes);
// Writes the same into `out` and reuses its memory.
void ToUtf8Into(std::string_view bytes, std::string* out);

// The first `max_bytes` of `bytes`, at most, as one line for terminals, logs
// and pages: UTF-8, with "..." if bytes were cut off. Invalid bytes, and
// characters that are obeyed or hidden but not shown, become \xNN: controls,
// line separators, marks of direction, characters without width. Every text of
// a peer or a file that people see passes this function. It has up to 4 *
// max_bytes + 3 bytes.
std::string Excerpt(std::string_view bytes, size_t max_bytes = 80);

// `json` with the same characters as \uNNNN: it means the same. Bytes below
// U+007F stay, since JSON has them outside of strings only.
std::string PlainJson(std::string_view json);

// The excerpt of `bytes` in single quotes.
std::string Quote(std::string_view bytes);

}  // namespace bvhmill
