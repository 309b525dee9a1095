#pragma once

// Tells whether two runs make the same outputs of the same input.

#include <optional>
#include <string>
#include <string_view>

#include "bvhmill/pipeline/options.h"
#include "bvhmill/pipeline/source_format.h"

namespace bvhmill::client {

// The digest, in hexadecimal, of everything except the input that determines
// the outputs: the options without their limits, the format `from` that is
// stated for all inputs (none: it follows from their names), the version of
// this program, and `engine`, the version of the program that converts.
std::string OptionsDigest(const ConvertOptions& options,
                          std::optional<SourceFormat> from,
                          std::string_view engine);

}  // namespace bvhmill::client
