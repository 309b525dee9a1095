#pragma once

// Facts about a clip as text.

#include <optional>
#include <string>
#include <string_view>

#include "bvhmill/clip/clip_info.h"

namespace bvhmill::client {

// Counts, rate, duration, size and motion, and channels, then the tree of
// joints, a line each, with the letters of their channels and what they do.
// Without `measures`, size and motion are unknown.
std::string ClipFacts(std::string_view path, const ClipInfo& info,
                      const std::optional<ClipMeasures>& measures);

}  // namespace bvhmill::client
