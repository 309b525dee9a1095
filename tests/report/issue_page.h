#pragma once

// The page docs/issues.md, made from the catalogue.

#include <string>

namespace bvhmill::testing {

std::string IssuePage();

}  // namespace bvhmill::testing
