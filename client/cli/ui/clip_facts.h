#pragma once

// Facts about a clip as text.

#include <string>
#include <string_view>

#include "bvhmill/encode/clip_info.h"
#include "client/cli/io/extents.h"

namespace bvhmill::client {

// Counts, rate, duration, extents and channels, then the tree of joints, a line
// each, with the letters of their channels.
std::string ClipFacts(std::string_view path, const ClipInfo& info,
                      const Extents& extents);

}  // namespace bvhmill::client
