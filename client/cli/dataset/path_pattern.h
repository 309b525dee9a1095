#pragma once

// Patterns that name files.

#include <string>
#include <string_view>

namespace bvhmill::client {

// True if `pattern` matches all of `path`, a relative path with slashes. "?" is
// one byte and "*" any number of bytes, without slashes. "**" is any number of
// bytes, also slashes. "**/" at the start, or after a slash, is any number of
// folders, or none. "./" at the start is ignored. All other bytes stand for
// themselves. A pattern without a slash is compared with the name of the file
// alone, in any folder. O(pattern * path).
bool MatchesPath(std::string_view pattern, std::string_view path);

// Why `pattern` matches no file below a folder, as an end of a sentence that
// begins with the pattern. Empty if it may match one.
std::string WhyNoPattern(std::string_view pattern);

}  // namespace bvhmill::client
