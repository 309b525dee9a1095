#pragma once

// Checks an -o that names a file or stdout, which takes one output of one clip.

#include <string>
#include <vector>

#include "client/cli/commands/conversion.h"
#include "client/cli/io/inputs.h"

namespace bvhmill::client {

// True if `output` is "-", or ends in the last extension of a format or of the
// report (.npy, .json; case counts) and is not a folder.
bool NamesOneFile(const std::string& output);

// Returns why `options` and `inputs` do not go with one output at
// options.output: several clips or formats, --resume, an extension of another
// format, or other data for stdout. Empty if they do. Requires
// NamesOneFile(options.output).
std::string WhyNotOneFile(const ConversionOptions& options,
                          const std::vector<Input>& inputs);

}  // namespace bvhmill::client
