#pragma once

// Skeletons written as one line.

#include <string>
#include <string_view>

#include "bvhmill/clip/clip.h"

namespace bvhmill::testing {

// The skeleton of `tree`: "a>b" is a joint b below a, and "a[b|c]" are two
// joints below a. Several roots are separated by '|'.
Skeleton TreeOf(std::string_view tree);

// The same for a skeleton, without end sites.
std::string TreeText(const Skeleton& skeleton);

}  // namespace bvhmill::testing
