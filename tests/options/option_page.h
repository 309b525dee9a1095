#pragma once

#include <string>

namespace bvhmill::testing {

// docs/options.md, from the rows of options.inc.
std::string OptionPage();

}  // namespace bvhmill::testing
