#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/encode/report_json.h"
#include "client/batch.h"
#include "client/commands/commands.h"
#include "client/issue_lines.h"
#include "client/output_options.h"
#include "client/text.h"

namespace bvhmill::client {
namespace {

constexpr char kExamples[] =
    "  bvhmill validate take.bvh\n"
    "  bvhmill validate -r takes --json > reports.jsonl\n"
    "  bvhmill validate take.bvh --strict --fail-on warning\n"
    "  bvhmill validate take.bvh --emit anim --anim-map mixamo\n";

struct Flags {
  RunOptions run;
  InputOptions input;
  ConvertOptions convert;
  OutputFlags outputs;
  bool json = false;
  // Errors fail a clip anyway.
  bool fail_on_warning = false;
};

bool Passes(const Flags& flags, const Report& report) {
  return IsGood(report.verdict) && report.counts.errors == 0 &&
         (!flags.fail_on_warning || report.counts.warnings == 0);
}

Outcome ValidateOne(const Flags& flags, const Session& session,
                    const Input& input, ClipProgress* progress) {
  int64_t bytes = 0;
  const ConvertResult result = WithClip(
      session, input, flags.convert.report,
      [&](const ClipData& clip) {
        return session.engine->Validate(input.path, clip, flags.convert,
                                        session.cancel);
      },
      &bytes, progress);
  Outcome outcome = OutcomeOf(session, input, result);
  outcome.bytes = bytes;
  const bool is_known = HasReport(result) && !absl::IsCancelled(result.status);
  if (is_known) {
    outcome.kind = Passes(flags, result.report) ? Outcome::Kind::kGood
                                                : Outcome::Kind::kFailed;
    outcome.talk.clear();
    outcome.data =
        flags.json
            ? ReportJson(ToUtf8(input.path), result.report, result.info) + "\n"
            : ReportText(input.path, result);
  } else if (flags.json && outcome.kind == Outcome::Kind::kFailed) {
    outcome.data = "{\"file\":" + JsonQuote(input.path) +
                   ",\"error\":" + JsonQuote(MessageOf(result.status)) + "}\n";
  }
  return outcome;
}

int Run(const CLI::App* app, Flags* chosen, Session* session) {
  std::string wrong = CheckLocalOptions(app, chosen->run);
  if (wrong.empty()) {
    wrong = ReadAnimFlags(app, *session, &chosen->outputs.anim);
  }
  chosen->convert.outputs = ChosenOutputs(chosen->outputs);
  const Flags& flags = *chosen;
  if (!wrong.empty()) return Misused(app, session, wrong);
  const auto inputs = CollectInputs(flags.input, std::nullopt);
  if (!inputs.ok()) {
    return Misused(app, session, std::string(MessageOf(inputs.status())));
  }
  session->options = flags.run;
  const ExitCode exit = OpenEngine(session);
  if (exit != kExitGood) return exit;
  const Totals totals =
      RunClips(*session, *inputs, [&](size_t i, ClipProgress* progress) {
        return ValidateOne(flags, *session, (*inputs)[i], progress);
      });
  if (totals.clips > 1 && !flags.run.quiet) {
    session->console->Talk(Summary(totals, "passed"));
  }
  return totals.exit;
}

}  // namespace

Command AddValidate(CLI::App* parent) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* app =
      parent->add_subcommand("validate", "say what is wrong with BVH clips");
  app->footer(kExamples);
  AddInputOptions(app, &flags->input);
  AddReadingOptions(app, &flags->convert);
  AddEmitOption(app, "say also whether these could be made", "Output", "",
                &flags->outputs);
  AddAnimOptions(app, &flags->outputs.anim);
  AddReportOptions(app, &flags->convert.report);
  app->add_flag("--json", flags->json, "print a JSON object for each clip")
      ->group("Report");
  AddChoice<bool>(app, "--fail-on", &flags->fail_on_warning,
                  {{"error", false}, {"warning", true}},
                  "what fails a clip: error or warning;\nby default error")
      ->group("Report");
  AddBatchOptions(app, &flags->run);
  AddServerOptions(app, &flags->run.connect);
  AddLocalOptions(app, &flags->run);
  return {app, [app, flags](Session* session) {
            return Run(app, flags.get(), session);
          }};
}

}  // namespace bvhmill::client
