#pragma once

// The width of text on a terminal.

#include <cstddef>
#include <string_view>

namespace bvhmill::client {

// The columns that `utf8` takes: two for each wide character of East Asia, none
// for a combining one. The C library says which are which (wcwidth), in any
// locale of the program. A tab, and a character that cannot be printed, count
// as one. Thread-safe.
size_t WidthOf(std::string_view utf8);

}  // namespace bvhmill::client
