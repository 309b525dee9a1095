#pragma once

// Paths from a folder to files.

#include <string>

namespace bvhmill::client {

// The path from `folder` to `path`, without "." and with slashes. Both are
// absolute or relative to the working folder; links are not followed. "" is the
// working folder. Looks at no file but the working folder.
std::string PathFrom(const std::string& folder, const std::string& path);

}  // namespace bvhmill::client
