#pragma once

// Makes sure that no two inputs have outputs with the same name.

#include <string>
#include <unordered_map>
#include <vector>

#include "client/cli/io/inputs.h"

namespace bvhmill::client {

// For each base of outputs the path of the input that has it.
using OutputClaims = std::unordered_map<std::string, std::string>;

// Sets Input::status to FAILED_PRECONDITION for each input whose outputs would
// be outside the output folder, or would have the names of outputs of an
// earlier input. Normalizes Input::base of the others, and adds them to
// `claims`. Ignores inputs whose status is an error already.
void ClaimOutputs(std::vector<Input>* inputs, OutputClaims* claims);

// The same for all inputs of a command.
inline void ClaimOutputs(std::vector<Input>* inputs) {
  OutputClaims claims;
  ClaimOutputs(inputs, &claims);
}

}  // namespace bvhmill::client
