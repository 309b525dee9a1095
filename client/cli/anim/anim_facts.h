#pragma once

// The content of an .anim file as text.

#include <string>

#include "client/cli/anim/anim_file.h"

namespace bvhmill::client {

// Header, constraints, a table of the joints and, if `with_keys`, all
// keyframes. If the bytes cannot be decoded, only name and size. Every line has
// its end.
std::string AnimFacts(const AnimFile& file, bool with_keys);

}  // namespace bvhmill::client
