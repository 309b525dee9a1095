#include "client/cli/options/fail_on.h"

#include "client/cli/options/options.h"

namespace bvhmill::client {

void AddFailOnOption(CLI::App* app, std::optional<FailOn>* fail_on) {
  AddChoice<std::optional<FailOn>>(
      app, "--fail-on", fail_on,
      {{"error", FailOn::kError}, {"warning", FailOn::kWarning}},
      "a clip fails if it has an issue of this severity:\n"
      "error or warning; default error")
      ->group("Report");
}

bool Passes(const Report& report, std::optional<FailOn> fail_on) {
  return IsGood(report.verdict) && report.counts.errors == 0 &&
         (fail_on != FailOn::kWarning || report.counts.warnings == 0);
}

}  // namespace bvhmill::client
