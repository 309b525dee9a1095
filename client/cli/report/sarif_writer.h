#pragma once

// Names of files as URIs.

#include <string>
#include <string_view>

namespace bvhmill::client {

// The URI of the file `path` by RFC 3986: relative to the working folder, if
// the file is below it or `path` is relative; otherwise "file:///...". All
// bytes but letters, digits and "-._~/" are written as %XX. Looks at no file.
std::string ArtifactUri(std::string_view path);

}  // namespace bvhmill::client
