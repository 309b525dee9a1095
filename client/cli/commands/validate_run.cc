#include "client/cli/commands/validate_run.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "client/cli/batch.h"
#include "client/cli/commands/conversion_line.h"
#include "client/cli/commands/validate_clip.h"
#include "client/cli/dataset/baseline_use.h"
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

// Why no baseline is written; empty if it is whole. Half a baseline would make
// faults new that are not.
std::string WhyNoBaseline(const RunSummary& summary, bool is_report_written) {
  const int64_t not_read = summary.dataset.verdicts.not_read;
  if (!summary.complete) return "not all clips were checked";
  if (not_read > 0) {
    return Count(not_read, "clip") + (not_read == 1 ? " was" : " were") +
           " not read";
  }
  return is_report_written ? "" : "the report was not written";
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
                          const ValidateParts& parts, const RunSummary& summary,
                          const std::string& why_not_written) {
  const int64_t cut_clips = summary.dataset.cut_clips;
  const BaselineFlags& files = flags.dataset.baseline;
  std::string out;
  if (parts.baseline && !flags.run.quiet) {
    out += BaselineUse(files.file, *parts.baseline, parts.inputs);
  }
  const ReportOptions& report = flags.convert.report;
  const bool is_part = !report.only.empty() || !report.ignore.empty();
  if (parts.written_baseline && why_not_written.empty() && is_part &&
      !flags.run.quiet) {
    out += Printable(files.written) +
           ": note: the baseline lacks the issues that --only or --ignore "
           "leaves out\n";
  }
  if (!why_not_written.empty()) {
    out += Printable(files.written) + ": warning: not written, since " +
           why_not_written + "\n";
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

// The summary for people; empty if there is one clip, unless the run is dry.
std::string SummaryFor(const ValidateFlags& flags, const Totals& totals,
                       int64_t changed, const DatasetSummary& dataset) {
  if (totals.clips < 2 && !flags.is_dry_run) return {};
  const std::string verb =
      flags.is_dry_run ? "passed (" + std::to_string(changed) + " would change)"
                       : "passed";
  return Summary(totals, verb) + (totals.clips > 1 ? SummaryText(dataset) : "");
}

void PutLine(const ClipFinding& finding, ValidateParts* parts) {
  if (!parts->lines || !parts->lines->is_open()) return;
  parts->lines->Put(ConversionLine(finding.path, finding.result, {}));
}

// Notes before the clips are checked; whole lines. Edits change outputs alone:
// issues name the frames and joints of the file.
std::string NotesBefore(const ValidateFlags& flags) {
  std::string notes = RenderingNote(flags.report);
  if (!flags.is_dry_run && !IsEmpty(flags.convert.edits)) {
    notes +=
        "bvhmill: note: issues are about the clips before their edits; to "
        "check the result, convert it to BVH first\n";
  }
  return notes;
}

// Writes the end of the report, and the summary. `console` is that of stdout.
// Returns OK if stdout is lost; the console has said so.
absl::Status WriteEnds(const RunSummary& summary, const Console& console,
                       ReportWriter* writer, ReportOutput* report,
                       std::optional<ReportOutput>* summary_file) {
  report->Put(writer->End(summary));
  BVHMILL_RETURN_IF_ERROR(report->Close());
  if (!*summary_file || console.data_lost()) return absl::OkStatus();
  (*summary_file)->Put(SummaryJson(summary) + "\n");
  return (*summary_file)->Close();
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
  if (!flags.run.quiet) {
    session.console->PrintDiagnostics(NotesBefore(flags));
  }
  DatasetTally tally;
  int64_t clips_checked = 0;
  int64_t clips_changed = 0;
  output->Put(writer->Begin(FactsOf(flags)));
  const Totals totals = CheckClips(
      checks, *parts, session, *writer,
      [&](CheckedClip* checked, std::string rendered) {
        ++clips_checked;
        clips_changed += HasChange(checked->finding.result.report) ? 1 : 0;
        tally.Add(checked->finding, checked->is_cut, checked->traits);
        PutLine(checked->finding, parts);
        if (parts->lines && parts->lines->is_on_stdout()) return true;
        return output->Put(writer->Add(checked->finding, std::move(rendered)));
      });
  const RunSummary summary = SummaryOf(totals, clips_checked, *parts, tally);
  Console* console = session.console;
  absl::Status written =
      WriteEnds(summary, *console, writer.get(), output, &parts->summary_file);
  std::string why_no_baseline;
  if (parts->written_baseline) {
    why_no_baseline =
        WhyNoBaseline(summary, written.ok() && !console->data_lost());
    if (why_no_baseline.empty()) {
      parts->baseline_file->Put(parts->written_baseline->Text());
      written = parts->baseline_file->Close();
    }
  }
  if (!flags.run.quiet) {
    console->PrintDiagnostics(
        SummaryFor(flags, totals, clips_changed, summary.dataset));
  }
  console->PrintDiagnostics(
      BaselineNotes(flags, *parts, summary, why_no_baseline));
  if (!written.ok()) {
    console->PrintDiagnostics("bvhmill: " + std::string(MessageOf(written)) +
                              "\n");
  }
  const bool has_lines = !parts->lines || !parts->lines->failed();
  return written.ok() && has_lines && !console->data_lost()
             ? totals.exit
             : std::max(totals.exit, kExitClipFailed);
}

}  // namespace bvhmill::client
