#pragma once

// What is in an .anim, for people.

#include <string>

#include "client/cli/anim/anim_file.h"

namespace bvhmill::client {

// Header, a table of the joints, constraints, and every key if `with_keys`.
// Only the name of a file whose bytes make no sense, and that. Every line has
// its end.
std::string AnimFacts(const AnimFile& file, bool with_keys);

}  // namespace bvhmill::client
