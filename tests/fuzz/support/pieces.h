#pragma once

// A clip in pieces against the whole clip, for fuzz targets.

#include <string_view>

#include "bvhmill/pipeline/options.h"
#include "tests/fuzz/support/any_options.h"

namespace bvhmill::fuzz {

// Converts `clip` as a whole, and in pieces that `choices` cut. Requires that
// status, report, facts and outputs are equal.
void RequireSameInPieces(std::string_view clip, const ConvertOptions& options,
                         Choices* choices);

}  // namespace bvhmill::fuzz
