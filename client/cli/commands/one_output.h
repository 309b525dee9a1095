#pragma once

// Checks what -o names: a folder, or a file or stdout for one output of one
// clip.

#include <string>
#include <vector>

#include "client/cli/commands/conversion.h"
#include "client/cli/io/inputs.h"

namespace bvhmill::client {

// Sets options->one_file if -o is "-", or ends in the last extension of a
// format or of the report (.npy, .json; case counts) and is not a folder.
// Returns why `options` and `inputs` do not go with that: several clips or
// formats,
// --resume, an extension of another format, or other data for stdout; if -o is
// to be a folder, the same as WhyNoFolder. Empty if they do.
std::string ChooseOutput(const std::vector<Input>& inputs,
                         ConversionOptions* options);

// Returns why no folder `output` is made: there is none, and its name has the
// extension of a file. Empty if one may be. A name that ends in a slash, or in
// an extension without letters, is one of a folder.
std::string WhyNoFolder(const std::string& output);

}  // namespace bvhmill::client
