#include "client/cli/commands/validate_run.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "client/cli/batch.h"
#include "client/cli/commands/validate_clip.h"
#include "client/cli/dataset/dataset_tally.h"
#include "client/cli/dataset/summary_json.h"
#include "client/cli/dataset/summary_text.h"
#include "client/cli/picture/picture_check.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

ClipChecks ChecksOf(const ValidateFlags& flags, const Session& session,
                    const Rendering& rendering, size_t clips) {
  ClipChecks checks;
  checks.convert = flags.convert;
  checks.convert.measures = rendering.has_measures;
  checks.severity = flags.severity;
  checks.fail_on = flags.fail_on;
  const bool on_terminal = session.console->stdout_is_terminal() &&
                           flags.report.output == kStandardOutput;
  checks.view = ViewFor(on_terminal && rendering.has_source_lines);
  checks.view.with_utf16 = rendering.has_utf16_columns;
  checks.has_pictures = rendering.has_pictures;
  checks.hashes_content = clips > 1;
  return checks;
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

RunFacts FactsOf(const ValidateFlags& flags) {
  RunFacts facts;
  facts.fail_on = flags.fail_on;
  facts.title = TitleOf(flags.input);
  facts.has_meters = HasMeters(flags.convert.edits);
  return facts;
}

// Writes `text` into the file or to the stream that `path` names.
absl::Status WriteOut(const std::string& path, bool force,
                      std::string_view text, Console* console) {
  ReportOutput output(console);
  BVHMILL_RETURN_IF_ERROR(output.Open(path, force));
  output.Put(text);
  return output.Close();
}

// `checked` clips of all are in the report.
RunSummary SummaryOf(const Totals& totals, int64_t checked,
                     const ValidateParts& parts, const DatasetTally& tally) {
  RunSummary summary;
  summary.clips = totals.clips;
  summary.passed = totals.good;
  summary.complete = checked == totals.clips;
  summary.dataset = tally.Summary();
  summary.dataset.expectations = parts.expectations.Paths();
  return summary;
}

// Checks all clips in order, and calls `take` with each of them in turn.
Totals CheckClips(const ClipChecks& checks, const ValidateParts& parts,
                  const Session& session, const ReportWriter& writer,
                  const std::function<bool(CheckedClip*, std::string)>& take) {
  return RunClips(session, parts.inputs, [&](size_t i, ClipProgress* progress) {
    const auto checked = std::make_shared<CheckedClip>(
        CheckClip(checks, session, parts.inputs[i], i, parts.expectations.Of(i),
                  progress));
    Outcome outcome = std::move(checked->outcome);
    if (!checked->is_checked) return outcome;
    outcome.in_turn = [&take, checked,
                       rendered = writer.Render(checked->finding)] {
      return take(checked.get(), rendered);
    };
    return outcome;
  });
}

// Notes about the baselines; whole lines. With -q only those about a baseline
// that is not whole.
std::string BaselineNotes(const ValidateFlags& flags,
                          const ValidateParts& parts,
                          const RunSummary& summary) {
  const int64_t cut_clips = summary.dataset.cut_clips;
  std::string out;
  if (parts.baseline && !flags.run.quiet) {
    const std::string name = Printable(flags.dataset.baseline.file);
    const int64_t gone = parts.baseline->Gone();
    if (gone > 0) {
      out += name + ": note: " + Count(gone, "issue") +
             " of the baseline no longer found\n";
    }
    if (parts.baseline->rules_version() != kRulesVersion) {
      out += name + ": note: the baseline was written with rules " +
             Printable(parts.baseline->rules_version()) + ", and these are " +
             std::string(kRulesVersion) + "\n";
    }
  }
  const BaselineFlags& files = flags.dataset.baseline;
  if (parts.written_baseline && !summary.complete) {
    out += Printable(files.written) +
           ": warning: not written, since not all clips were checked\n";
  } else if (parts.written_baseline && cut_clips > 0) {
    out += Printable(files.written) + ": warning: " + Count(cut_clips, "clip") +
           " with more issues than the server lists: the baseline lacks them; "
           "without a server it has all\n";
  }
  if (cut_clips > 0 && parts.baseline) {
    out += Printable(files.file) + ": warning: " + Count(cut_clips, "clip") +
           " with more issues than the server lists: known ones among them "
           "count as new; without a server all are compared\n";
  }
  return out;
}

// Writes what comes after the last clip.
absl::Status WriteEnds(const ValidateFlags& flags, const RunSummary& summary,
                       const ValidateParts& parts, const Session& session,
                       ReportWriter* writer, ReportOutput* output) {
  const ReportFlags& report = flags.report;
  output->Put(writer->End(summary));
  BVHMILL_RETURN_IF_ERROR(output->Close());
  if (!report.summary.empty()) {
    BVHMILL_RETURN_IF_ERROR(WriteOut(report.summary, report.force,
                                     SummaryJson(summary) + "\n",
                                     session.console));
  }
  // Half a baseline would make faults new that are not.
  if (!parts.written_baseline || !summary.complete) return absl::OkStatus();
  return WriteOut(flags.dataset.baseline.written, report.force,
                  parts.written_baseline->Text(), session.console);
}

}  // namespace

int CheckAll(const ValidateFlags& flags, const Session& session,
             ValidateParts* parts, ReportOutput* output) {
  const Rendering& rendering = ChosenRendering(flags.report);
  ClipChecks checks = ChecksOf(flags, session, rendering, parts->inputs.size());
  if (parts->baseline) checks.baseline = &*parts->baseline;
  if (parts->written_baseline) {
    checks.written_baseline = &*parts->written_baseline;
  }
  const std::unique_ptr<ReportWriter> writer = rendering.make();
  DatasetTally tally;
  int64_t clips_checked = 0;
  output->Put(writer->Begin(FactsOf(flags)));
  const Totals totals = CheckClips(
      checks, *parts, session, *writer,
      [&](CheckedClip* checked, std::string rendered) {
        ++clips_checked;
        tally.Add(checked->finding, checked->codes, checked->is_cut,
                  checked->traits);
        return output->Put(writer->Add(checked->finding, std::move(rendered)));
      });
  const RunSummary summary = SummaryOf(totals, clips_checked, *parts, tally);
  const absl::Status written =
      WriteEnds(flags, summary, *parts, session, writer.get(), output);
  Console* console = session.console;
  if (totals.clips > 1 && !flags.run.quiet) {
    console->PrintDiagnostics(Summary(totals, "passed") +
                              SummaryText(summary.dataset));
  }
  console->PrintDiagnostics(BaselineNotes(flags, *parts, summary));
  if (written.ok()) return totals.exit;
  console->PrintDiagnostics("bvhmill: " + std::string(MessageOf(written)) +
                            "\n");
  return std::max(totals.exit, kExitClipFailed);
}

}  // namespace bvhmill::client
