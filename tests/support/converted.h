#pragma once

// The results of a conversion of the whole text, and of one in pieces.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::testing {

struct Converted {
  ConvertResult result;
  std::vector<std::string> outputs;
};

// By `converter`.
Converted ConvertWhole(std::string_view text, const ConvertOptions& options,
                       Converter* converter);
// By a converter of four threads.
Converted ConvertWhole(std::string_view text, const ConvertOptions& options);

// By a Conversion that gets `size` bytes at a time.
Converted ConvertPieces(std::string_view text, const ConvertOptions& options,
                        size_t size, Converter* converter);
Converted ConvertPieces(std::string_view text, const ConvertOptions& options,
                        size_t size);

}  // namespace bvhmill::testing
