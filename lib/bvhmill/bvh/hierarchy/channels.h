#pragma once

// Spelling of channels in BVH text.

#include <optional>
#include <string_view>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

// "Xposition", "zROTATION", ... in any case; nothing if it is no channel.
std::optional<Channel> ParseChannel(std::string_view word);

}  // namespace bvhmill
