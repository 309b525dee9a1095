#pragma once

// Tells how much of a baseline a run has found again.

#include <span>
#include <string>

#include "client/cli/dataset/baseline.h"
#include "client/cli/io/inputs.h"

namespace bvhmill::client {

// Notes for people about `baseline`, which was read from `path`, after a run
// over `inputs`; whole lines.
std::string BaselineUse(const std::string& path, const Baseline& baseline,
                        std::span<const Input> inputs);

}  // namespace bvhmill::client
