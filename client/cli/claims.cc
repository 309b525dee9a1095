#include "client/cli/claims.h"

#include <string>

#include "absl/status/status.h"
#include "bvhmill/base/status.h"
#include "client/cli/io/output_dir.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

absl::Status Refused(const std::string& why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, why);
}

}  // namespace

void ClaimOutputs(std::vector<Input>* inputs, OutputClaims* claims) {
  for (Input& input : *inputs) {
    if (!input.status.ok()) continue;
    if (!StaysBelow(input.base)) {
      input.status = Refused(
          "its outputs would leave the output directory; a list names clips "
          "by relative paths without '..'");
      continue;
    }
    input.base = Normalized(input.base);
    const auto [claim, is_new] = claims->emplace(input.base, input.path);
    if (!is_new) {
      input.status =
          Refused("gives the same outputs as " + Printable(claim->second) +
                  "; convert it to another folder");
    }
  }
}

}  // namespace bvhmill::client
