#pragma once

// Parses the names of channels in BVH text.

#include <optional>
#include <string_view>

#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

// Parses a name such as "Xposition" or "zROTATION", in any case. Returns
// nullopt if `word` is no channel.
std::optional<Channel> ParseChannel(std::string_view word);

}  // namespace bvhmill
