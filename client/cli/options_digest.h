#pragma once

// Tells whether two runs make the same outputs of the same input.

#include <string>
#include <string_view>

#include "bvhmill/pipeline/options.h"

namespace bvhmill::client {

// A digest of everything beside the input that outputs depend on: the options
// without their limits, the version of this program, and `engine`, the version
// of the program that converts. Hexadecimal.
std::string OptionsDigest(const ConvertOptions& options,
                          std::string_view engine);

}  // namespace bvhmill::client
