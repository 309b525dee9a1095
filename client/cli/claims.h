#pragma once

// Gives each name of an output to one input.

#include <vector>

#include "client/cli/io/inputs.h"

namespace bvhmill::client {

// Sets Input::status to FAILED_PRECONDITION for each input whose outputs would
// be outside the output folder, or would have the names of outputs of an
// earlier input. Normalizes Input::base of the others. Ignores inputs whose
// status is an error already.
void ClaimOutputs(std::vector<Input>* inputs);

}  // namespace bvhmill::client
