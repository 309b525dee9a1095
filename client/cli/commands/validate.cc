#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "client/cli/batch.h"
#include "client/cli/commands/commands.h"
#include "client/cli/commands/validate_clip.h"
#include "client/cli/dataset/dataset_tally.h"
#include "client/cli/dataset/summary_json.h"
#include "client/cli/dataset/summary_text.h"
#include "client/cli/options/edit_options.h"
#include "client/cli/options/fail_on.h"
#include "client/cli/options/output_options.h"
#include "client/cli/picture/picture_check.h"
#include "client/cli/report/report_options.h"
#include "client/cli/report/report_output.h"

namespace bvhmill::client {
namespace {

constexpr char kExamples[] =
    "  bvhmill validate take.bvh\n"
    "  bvhmill validate -r takes --json > reports.jsonl\n"
    "  bvhmill validate -r takes --format html -o report.html\n"
    "  bvhmill validate take.bvh --strict --fail-on warning\n"
    "  bvhmill validate take.bvh --emit anim --anim-map mixamo\n";

struct Flags {
  RunOptions run;
  InputOptions input;
  ConvertOptions convert;
  EditFlags edits;
  OutputFlags outputs;
  ReportFlags report;
  Severity severity = Severity::kHint;
  std::optional<FailOn> fail_on;
};

ClipChecks ChecksOf(const Flags& flags, const Session& session,
                    const Rendering& rendering, size_t clips) {
  ClipChecks checks;
  checks.convert = flags.convert;
  checks.severity = flags.severity;
  checks.fail_on = flags.fail_on;
  const bool on_terminal = session.console->stdout_is_terminal() &&
                           flags.report.output == kStandardOutput;
  checks.view = ViewFor(on_terminal && rendering.has_source_lines);
  checks.has_pictures = rendering.has_pictures;
  checks.hashes_content = clips > 1;
  return checks;
}

// Writes `text` into the file or to the stream that `path` names.
absl::Status WriteOut(const std::string& path, bool force,
                      std::string_view text, Console* console) {
  ReportOutput output(console);
  BVHMILL_RETURN_IF_ERROR(output.Open(path, force));
  output.Put(text);
  return output.Close();
}

// Writes the end of the report and the summary.
absl::Status WriteEnd(const Flags& flags, const RunSummary& summary,
                      const Session& session, ReportWriter* writer,
                      ReportOutput* output) {
  output->Put(writer->End(summary));
  BVHMILL_RETURN_IF_ERROR(output->Close());
  if (flags.report.summary.empty()) return absl::OkStatus();
  return WriteOut(flags.report.summary, flags.report.force,
                  SummaryJson(summary) + "\n", session.console);
}

RunSummary SummaryOf(const Totals& totals, const DatasetTally& tally) {
  RunSummary summary;
  summary.clips = totals.clips;
  summary.passed = totals.good;
  summary.complete = totals.good + totals.failed == totals.clips;
  summary.dataset = tally.Summary();
  return summary;
}

// The names of the inputs: "takes", "a.bvh and 2 more".
std::string TitleOf(const InputOptions& input) {
  std::vector<std::string> names = input.paths;
  if (!input.filelist.empty()) names.push_back(input.filelist);
  if (names.empty()) return {};
  const size_t more = names.size() - 1;
  return names.front() +
         (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

RunFacts FactsOf(const Flags& flags) {
  RunFacts facts;
  facts.fail_on = flags.fail_on;
  facts.title = TitleOf(flags.input);
  facts.has_meters = HasMeters(flags.convert.edits);
  return facts;
}

// Checks all clips and writes their report.
int CheckAll(const Flags& flags, const std::vector<Input>& inputs,
             const Session& session, ReportOutput* output) {
  const Rendering& rendering = ChosenRendering(flags.report);
  const ClipChecks checks = ChecksOf(flags, session, rendering, inputs.size());
  const std::unique_ptr<ReportWriter> writer = rendering.make();
  DatasetTally tally;
  output->Put(writer->Begin(FactsOf(flags)));
  const Totals totals =
      RunClips(session, inputs, [&](size_t i, ClipProgress* progress) {
        const auto checked = std::make_shared<CheckedClip>(
            CheckClip(checks, session, inputs[i], i, progress));
        Outcome outcome = std::move(checked->outcome);
        if (!checked->is_checked) return outcome;
        outcome.in_turn = [&, checked,
                           rendered = writer->Render(checked->finding)] {
          tally.Add(checked->finding, checked->traits);
          return output->Put(writer->Add(checked->finding, rendered));
        };
        return outcome;
      });
  const RunSummary summary = SummaryOf(totals, tally);
  const absl::Status written =
      WriteEnd(flags, summary, session, writer.get(), output);
  if (totals.clips > 1 && !flags.run.quiet) {
    session.console->PrintDiagnostics(Summary(totals, "passed") +
                                      SummaryText(summary.dataset));
  }
  if (written.ok()) return totals.exit;
  session.console->PrintDiagnostics(
      "bvhmill: " + std::string(MessageOf(written)) + "\n");
  return std::max(totals.exit, kExitClipFailed);
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
  ReportOutput output(session->console);
  const absl::Status opened =
      output.Open(flags.report.output, flags.report.force);
  if (!opened.ok()) {
    return Misused(app, session, "-o: " + std::string(MessageOf(opened)));
  }
  session->options = flags.run;
  const ExitCode exit = OpenEngine(session);
  if (exit != kExitGood) return exit;
  return CheckAll(flags, *inputs, *session, &output);
}

}  // namespace

Command AddValidate(CLI::App* parent) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* app =
      parent->add_subcommand("validate", "report what is wrong with BVH clips");
  app->footer(kExamples);
  AddInputOptions(app, &flags->input);
  AddReadingOptions(app, &flags->convert);
  AddEmitOption(app, "also check whether these formats can be made", "Output",
                "", &flags->outputs);
  AddFormatOptions(app, "Output", &flags->outputs);
  AddAnimOptions(app, &flags->outputs.anim);
  AddEditOptions(app, &flags->edits, &flags->convert.edits);
  AddReportOptions(app, &flags->convert.report);
  AddRenderingOptions(app, &flags->report);
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
