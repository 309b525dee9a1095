#pragma once

// The files of the source tree.

#include <string>
#include <vector>

namespace bvhmill::testing {

// Returns the paths of the sources (.h, .cc, .inc) below `folder`, from the
// root of the source tree, in order.
std::vector<std::string> SourcesIn(const std::string& folder);

}  // namespace bvhmill::testing
