#pragma once

// Paths from a folder to files.

#include <string>

namespace bvhmill::client {

// The path from `folder` to `path`, with slashes; "." if they are the same.
// Each is absolute, or relative to the working folder; "" is the working
// folder. Links are not followed. Reads only the path of the working folder.
std::string PathFrom(const std::string& folder, const std::string& path);

}  // namespace bvhmill::client
