#include "client/cli/options/fail_on.h"

#include "client/cli/options/options.h"

namespace bvhmill::client {

void AddFailOnOption(CLI::App* app, std::optional<FailOn>* fail_on) {
  AddChoice<std::optional<FailOn>>(
      app, "--fail-on", fail_on,
      {{"error", FailOn::kError}, {"warning", FailOn::kWarning}},
      "what fails a clip: error or warning;\nby default error")
      ->group("Report");
}

bool Passes(const Report& report, std::optional<FailOn> fail_on) {
  return IsGood(report.verdict) && report.counts.errors == 0 &&
         (fail_on != FailOn::kWarning || report.counts.warnings == 0);
}

}  // namespace bvhmill::client
