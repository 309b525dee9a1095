#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/encode/report_json.h"
#include "client/cli/batch.h"
#include "client/cli/commands/commands.h"
#include "client/cli/options/edit_options.h"
#include "client/cli/options/fail_on.h"
#include "client/cli/options/output_options.h"
#include "client/cli/ui/code_tally.h"
#include "client/cli/ui/issue_lines.h"
#include "client/cli/ui/json_text.h"
#include "client/cli/ui/worst_clips.h"

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
  EditFlags edits;
  OutputFlags outputs;
  bool json = false;
  // Issues of lower severities are not listed.
  Severity severity = Severity::kHint;
  std::optional<FailOn> fail_on;
};

// Totals over all clips.
struct Findings {
  CodeTally codes;
  WorstClips worst;
};

// The line of a clip. `error` is empty if the report says everything; `report`
// and `info` are null if the clip was not read.
std::string JsonOf(const Input& input, const ConvertResult& result,
                   std::string_view error) {
  const bool is_read = HasReport(result);
  return JsonObject({{"file", JsonQuote(input.path)},
                     {"error", error.empty() ? "null" : JsonQuote(error)},
                     {"report", is_read ? ReportJson(result.report) : "null"},
                     {"info", is_read ? ClipInfoJson(result.info) : "null"}}) +
         "\n";
}

ConvertResult Validated(const Flags& flags, const Session& session,
                        const Input& input, IssueView* view, int64_t* bytes,
                        ClipProgress* progress) {
  ConvertResult result = WithClip(
      session, input, flags.convert.report,
      [&](const ClipData& clip) {
        ConvertResult found = session.engine->Validate(
            input.path, clip, flags.convert, session.cancel);
        TakeLinesOf(clip, found.report, view);
        return found;
      },
      bytes, progress);
  ListFrom(flags.severity, &result.report);
  return result;
}

Outcome ValidateOne(const Flags& flags, const Session& session,
                    const Input& input, size_t index, Findings* findings,
                    ClipProgress* progress) {
  int64_t bytes = 0;
  IssueView view =
      ViewFor(session.console->stdout_is_terminal() && !flags.json);
  const ConvertResult result =
      Validated(flags, session, input, &view, &bytes, progress);
  Outcome outcome = OutcomeOf(session, input, result);
  outcome.bytes = bytes;
  const bool is_known = HasReport(result) && !absl::IsCancelled(result.status);
  if (is_known) {
    const bool passes =
        result.status.ok() && Passes(result.report, flags.fail_on);
    outcome.kind = passes ? Outcome::Kind::kGood : Outcome::Kind::kFailed;
    // The report holds the reason, unless the clip is not the cause.
    const bool is_reported =
        result.status.ok() || FirstError(result.report) != nullptr;
    if (is_reported) outcome.diagnostics.clear();
    const std::string_view error =
        is_reported ? std::string_view() : MessageOf(result.status);
    outcome.data = flags.json ? JsonOf(input, result, error)
                              : ReportText(input.path, result, view);
    findings->codes.Add(result.report);
    findings->worst.Add(index, input.path, result.report.counts);
  } else if (flags.json && outcome.kind == Outcome::Kind::kFailed) {
    outcome.data = JsonOf(input, result, MessageOf(result.status));
  }
  return outcome;
}

int Run(const CLI::App* app, Flags* chosen, Session* session) {
  std::string wrong = ChooseEngine(*session, &chosen->run);
  if (wrong.empty()) {
    wrong = ReadEditFlags(*session, chosen->edits, &chosen->convert.edits);
  }
  if (wrong.empty()) {
    wrong = ReadOutputFlags(app, *session, chosen->convert.edits.source,
                            &chosen->outputs);
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
  Findings findings;
  const Totals totals =
      RunClips(*session, *inputs, [&](size_t i, ClipProgress* progress) {
        return ValidateOne(flags, *session, (*inputs)[i], i, &findings,
                           progress);
      });
  if (totals.clips > 1 && !flags.run.quiet) {
    session->console->PrintDiagnostics(Summary(totals, "passed"));
    if (!flags.json) {
      session->console->PrintDiagnostics(findings.codes.Lines() +
                                         findings.worst.Lines());
    }
  }
  return totals.exit;
}

}  // namespace

Command AddValidate(CLI::App* parent) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* app =
      parent->add_subcommand("validate", "report what is wrong with clips");
  app->footer(kExamples);
  AddInputOptions(app, &flags->input);
  AddReadingOptions(app, &flags->convert);
  AddEmitOption(app, "also check whether these formats can be made", "Output",
                "", &flags->outputs);
  AddFormatOptions(app, "Output", &flags->outputs);
  AddAnimOptions(app, &flags->outputs.anim);
  AddEditOptions(app, &flags->edits, &flags->convert.edits);
  AddReportOptions(app, &flags->convert.report);
  app->add_flag("--json", flags->json, "print one line of JSON per clip")
      ->group("Report");
  AddChoice<Severity>(app, "--severity", &flags->severity,
                      {{"error", Severity::kError},
                       {"warning", Severity::kWarning},
                       {"info", Severity::kInfo},
                       {"hint", Severity::kHint}},
                      "list only issues of this severity or a higher one:\n"
                      "error, warning, info or hint; default hint")
      ->group("Report");
  AddFailOnOption(app, &flags->fail_on);
  AddBatchOptions(app, &flags->run);
  AddServerOptions(app, kConvertingServer, &flags->run.connect);
  AddLocalOptions(app, &flags->run);
  return {app, [app, flags](Session* session) {
            return Run(app, flags.get(), session);
          }};
}

}  // namespace bvhmill::client
