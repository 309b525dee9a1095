#pragma once

// The thresholds of rules that expectations set.

#include <vector>

#include "absl/status/status.h"
#include "client/cli/dataset/expectations.h"

namespace bvhmill::client {

// Checks that each of `settings` names a rule and a threshold that it has.
// INVALID_ARGUMENT "rules.CODE.NAME: why" for the first that does not. This is
// the only place that knows which thresholds there are.
absl::Status CheckRules(const std::vector<RuleSetting>& settings);

}  // namespace bvhmill::client
