#pragma once

// Which input may make the outputs of which name.

#include <vector>

#include "client/cli/io/inputs.h"

namespace bvhmill::client {

// Fails inputs whose outputs would leave the output directory, or be those of
// an earlier input. Normalizes Input::base of the others.
void ClaimOutputs(std::vector<Input>* inputs);

}  // namespace bvhmill::client
