#pragma once

// Tells whether two runs make the same outputs of the same input.

#include <string>
#include <string_view>

#include "bvhmill/pipeline/options.h"

namespace bvhmill::client {

// The digest, in hexadecimal, of everything except the input that determines
// the outputs: the options without their limits, the version of this program,
// and `engine`, the version of the program that converts.
std::string OptionsDigest(const ConvertOptions& options,
                          std::string_view engine);

}  // namespace bvhmill::client
