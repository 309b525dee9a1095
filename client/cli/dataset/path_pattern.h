#pragma once

// Patterns that name files.

#include <string_view>

namespace bvhmill::client {

// True if `pattern` matches all of `path`, a relative path with slashes. "?" is
// one byte and "*" any number of bytes, without slashes. "**" is any number of
// bytes, also slashes. "**/" at the start, or after a slash, is any number of
// folders, or none. "./" at the start is ignored. All other bytes stand for
// themselves. A pattern without a slash is compared with the name of the file
// alone, in any folder. O(pattern * path).
bool MatchesPath(std::string_view pattern, std::string_view path);

}  // namespace bvhmill::client
