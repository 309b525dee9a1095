#pragma once

// -o that names a file or stdout, for the only output of the only clip.

#include <string>
#include <vector>

#include "client/cli/commands/conversion.h"
#include "client/cli/io/inputs.h"

namespace bvhmill::client {

// True if `output` is "-", or ends as the files of a format do and is no folder
// that exists.
bool NamesOneFile(const std::string& output);

// Why the outputs of `inputs` cannot go to the file or stdout that
// options.output names; empty if they can.
std::string WhyNotOneFile(const ConversionOptions& options,
                          const std::vector<Input>& inputs);

}  // namespace bvhmill::client
