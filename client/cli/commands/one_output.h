#pragma once

// Checks an -o that names a file or stdout, which takes one output of one clip.

#include <string>
#include <vector>

#include "client/cli/commands/conversion.h"
#include "client/cli/io/inputs.h"

namespace bvhmill::client {

// True if `output` is "-", or has the extension of a format and is not the path
// of a folder.
bool NamesOneFile(const std::string& output);

// Returns why the outputs of `inputs` do not fit into one file or stdout; empty
// if they do.
std::string WhyNotOneFile(const ConversionOptions& options,
                          const std::vector<Input>& inputs);

}  // namespace bvhmill::client
