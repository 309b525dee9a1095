#include "client/cli/dataset/rule_settings.h"

#include <string>

#include "bvhmill/base/status.h"

namespace bvhmill::client {

absl::Status CheckRules(const std::vector<RuleSetting>& settings) {
  // No rule of this version has thresholds that can be set.
  if (settings.empty()) return absl::OkStatus();
  const RuleSetting& first = settings.front();
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    "rules." + first.code + "." + first.name + ": " +
                        first.code + " has no threshold that can be set");
}

}  // namespace bvhmill::client
