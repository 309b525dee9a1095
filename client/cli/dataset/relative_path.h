#pragma once

// Paths from a folder to files.

#include <string>

namespace bvhmill::client {

// The path from `folder` to `path`, with slashes: from "a" to "b/c" it is
// "../b/c"; "." if they are the same. Each is absolute, or relative to the
// working folder; "" is the working folder. Compares texts only: links are not
// followed, and the files need not exist.
std::string PathFrom(const std::string& folder, const std::string& path);

}  // namespace bvhmill::client
