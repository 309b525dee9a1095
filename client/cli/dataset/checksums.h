#pragma once

// The list of --passed: SHA-256 and path of each clip that passes, as the
// program sha256sum writes and checks them.

#include <map>
#include <string>

namespace bvhmill::client {

// A line for each file, sorted by path: "DIGEST  PATH". If a path has a
// backslash, LF or CR, these are \\, \n or \r, and the line begins with a
// backslash. `digests` are by path.
std::string ChecksumLines(const std::map<std::string, std::string>& digests);

}  // namespace bvhmill::client
