#pragma once

// Paths from a folder to files.

#include <string>

namespace bvhmill::client {

// The path from `folder` to `path`, with slashes: from "a" to "b/c" it is
// "../b/c". Each is absolute, or relative to the working folder; "" is the
// working folder. Links to folders are followed, so that all ways to a file
// give the same path. The files need not exist.
std::string PathFrom(const std::string& folder, const std::string& path);

}  // namespace bvhmill::client
