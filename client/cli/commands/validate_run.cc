#include "client/cli/commands/validate_run.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "client/cli/batch.h"
#include "client/cli/commands/conversion.h"
#include "client/cli/dataset/baseline.h"
#include "client/cli/dataset/checksums.h"
#include "client/cli/dataset/dataset_tally.h"
#include "client/cli/dataset/expectations.h"
#include "client/cli/dataset/summary_text.h"
#include "client/cli/io/read_clip.h"
#include "client/cli/picture/picture.h"
#include "client/cli/report/report_writer.h"
#include "client/cli/ui/code_tally.h"

namespace bvhmill::client {
namespace {

// The check of one clip.

// The choices of a run that concern its clips.
struct ClipChecks {
  ConvertOptions convert;
  // Issues of lower severities are not listed. If warnings make the clip fail,
  // they are listed in any case.
  Severity severity = Severity::kHint;
  std::optional<FailOn> fail_on;
  // The style of the lines of files. It has no lines yet.
  IssueView view;
  // True if the finding gets a picture.
  bool has_pictures = false;
  // True if the traits get hashes of the content.
  bool hashes_content = false;
  // True if the digests of the files are needed.
  bool has_digests = false;
  // Borrowed; may be null. Its known issues are removed from the report.
  Baseline* baseline = nullptr;
  // Borrowed; may be null. All issues of the clip are added to it.
  Baseline* written_baseline = nullptr;
};

// A clip that was checked.
struct CheckedClip {
  ClipFinding finding;
  ClipTraits traits;
  // SHA-256 of the file, also if it is compressed; empty if it is not needed.
  std::string digest;
  // The kind tells whether the clip passes. `diagnostics` is empty if the
  // report holds the reason of a failure. `data` is always empty.
  Outcome outcome;
  // True if the engine lists only a part of the issues.
  bool is_cut = false;
  // False if the clip was not checked: the run was interrupted, or the server
  // was lost, refused the clip or failed on it. Such a clip is in no report.
  bool is_checked = false;
};

// The hints that state facts about a clip.
constexpr std::string_view kFacts[] = {"DATA_UNIT_GUESS", "DATA_UP_AXIS_GUESS"};

// Replaces each word that names `fact` by the other codes that the word names.
// Other groups stay groups, since a server may know more codes.
void TakeOut(std::string_view fact, std::vector<std::string>* words) {
  std::vector<std::string> kept;
  for (const std::string& word : *words) {
    if (!NamesCode(word, fact)) {
      kept.push_back(word);
      continue;
    }
    for (const CatalogueEntry& entry : Catalogue()) {
      if (entry.name != fact && NamesCode(word, entry.name)) {
        kept.emplace_back(entry.name);
      }
    }
  }
  *words = std::move(kept);
}

// The options with which the engine states all facts, also those that the
// report will not list.
ReportOptions WithFacts(const ReportOptions& options) {
  ReportOptions all = options;
  for (const std::string_view fact : kFacts) {
    if (IsListed(options, fact)) continue;
    TakeOut(fact, &all.ignore);
    if (!all.only.empty()) all.only.emplace_back(fact);
    // A fact that is not listed must not change the verdict.
    all.severities.erase(std::string(fact));
  }
  return all;
}

// Removes the facts that `options` do not list.
void DropFacts(const ReportOptions& options, Report* report) {
  for (const std::string_view fact : kFacts) {
    if (IsListed(options, fact)) continue;
    std::erase_if(report->issues, [&](const Issue& issue) {
      if (issue.code != fact) return false;
      report->counts.hints -= issue.occurrences;
      return true;
    });
  }
}

// Verdicts, summaries and baselines need all issues, also those that the report
// will not list.
constexpr int64_t kAllIssues = 1'000'000;

// Lists the first `max_issues` issues of the file, and as many changes by
// repairs. 0: all.
void CutTo(int64_t max_issues, ClipFinding* finding) {
  Report& report = finding->result.report;
  int64_t faults = 0;
  int64_t repairs = 0;
  const auto is_beyond = [&](const Issue& issue) {
    return ++(IsRepair(issue.code) ? repairs : faults) > max_issues;
  };
  const bool is_cut =
      max_issues > 0 && std::erase_if(report.issues, is_beyond) > 0;
  finding->view.is_cut_by_server = report.truncated && !is_cut;
  report.truncated = report.truncated || is_cut;
}

bool IsFact(const Issue& issue) {
  return std::find(std::begin(kFacts), std::end(kFacts), issue.code) !=
         std::end(kFacts);
}

// The facts of a clip. A list that the server has cut may lack them, and a
// report about a clip whose unit is stated has no guess. In these cases checks
// the clip once more, for the facts alone, and adds them to a list that was
// cut.
std::vector<Issue> TakeFacts(const Session& session, const Input& input,
                             const ClipData& clip, ConvertOptions convert,
                             bool compared, ConvertResult* found) {
  std::vector<Issue> facts;
  std::vector<Issue>* const listed = &found->report.issues;
  std::copy_if(listed->begin(), listed->end(), std::back_inserter(facts),
               IsFact);
  const bool is_stated = convert.edits.source.meters_per_unit != 0;
  const bool lacks_guesses =
      is_stated && compared && found->report.verdict != Verdict::kUnreadable;
  if (!found->report.truncated && !lacks_guesses) return facts;
  convert.report.only.assign(std::begin(kFacts), std::end(kFacts));
  convert.report.ignore.clear();
  convert.measures = false;
  convert.edits = {};
  convert.outputs.clear();
  ConvertResult again =
      session.engine->Validate(input.path, clip, convert, session.cancel);
  for (Issue& issue : again.report.issues) {
    const bool is_known = std::any_of(
        facts.begin(), facts.end(),
        [&](const Issue& known) { return known.code == issue.code; });
    if (is_known) continue;
    if (!is_stated) listed->push_back(issue);
    facts.push_back(std::move(issue));
  }
  return facts;
}

// The report of the engine, and the picture if the report shows pictures.
ConvertResult Ask(const ClipChecks& checks, const Session& session,
                  const Input& input, const ClipData& clip,
                  const ConvertOptions& convert,
                  std::optional<ClipPicture>* picture) {
  if (!checks.has_pictures) {
    return session.engine->Validate(input.path, clip, convert, session.cancel);
  }
  return ValidateWithPicture(session.engine.get(), input.path, clip, convert,
                             session.cancel, picture);
}

// True if the server lacks one of the codes to ignore.
bool LacksCodes(const ConvertResult& result) {
  return CallErrorOf(result.status).field == "options.validation.ignore";
}

// As Ask, with all facts. If an older server does not know a code to ignore,
// asks with `options` instead: the report then lacks the facts that they
// ignore.
ConvertResult AskWithFacts(const ClipChecks& checks, const Session& session,
                           const Input& input, const ClipData& clip,
                           const ReportOptions& options,
                           std::optional<ClipPicture>* picture) {
  ConvertOptions convert = checks.convert;
  convert.report = WithFacts(options);
  ConvertResult found = Ask(checks, session, input, clip, convert, picture);
  if (convert.report.ignore != options.ignore && LacksCodes(found)) {
    convert.report = options;
    return Ask(checks, session, input, clip, convert, picture);
  }
  return found;
}

// The hashes of the decompressed clip; none if it cannot be decompressed.
std::optional<ContentHashes> HashesOf(const Session& session,
                                      const Input& input,
                                      const ClipData& clip) {
  const bool is_bvh = clip.format == SourceFormat::kBvh;
  if (clip.encoding == v1::CONTENT_ENCODING_IDENTITY) {
    return HashContent(clip.bytes, is_bvh);
  }
  ClipText text(clip.bytes.begin(), clip.bytes.end());
  const absl::Status status =
      UnpackClip(EncodingOf(input, clip.bytes), session.engine->MaxClipBytes(),
                 session.cancel, &text);
  if (!status.ok()) return std::nullopt;
  return HashContent(ViewOf(text), is_bvh);
}

// Sets the result, the content and the lines of the clip. Returns its facts.
// They are complete if `compared`: the facts are then compared with others.
std::vector<Issue> Validate(const ClipChecks& checks, const Session& session,
                            const Input& input, const ReportOptions& options,
                            bool compared, ClipProgress* progress,
                            CheckedClip* checked) {
  std::vector<Issue> facts;
  IssueView* view = &checked->finding.view;
  checked->finding.result = WithClip(
      session, input, options,
      [&](const ClipData& clip) {
        ConvertResult found = AskWithFacts(checks, session, input, clip,
                                           options, &checked->finding.picture);
        ConvertOptions convert = checks.convert;
        convert.report = WithFacts(options);
        facts = TakeFacts(session, input, clip, convert, compared, &found);
        TakeLinesOf(clip, found.report, view);
        if (checks.hashes_content) {
          checked->traits.content = HashesOf(session, input, clip);
        }
        return found;
      },
      &checked->outcome.bytes, progress,
      checks.has_digests ? &checked->digest : nullptr);
  return facts;
}

// The options of the report of a clip, with the expectations of its data set.
ReportOptions OptionsFor(const ClipChecks& checks, const Input& input,
                         const Expectations* expectations) {
  ReportOptions options = checks.convert.report;
  if (expectations != nullptr) {
    ApplyTo(*expectations, PathFrom(expectations->folder, input.path),
            &options);
  }
  options.max_issues = kAllIssues;
  return options;
}

// Sets the traits, and completes the report of a clip that was read.
void CompleteReport(const ReportOptions& options,
                    const Expectations* expectations, const SourceSpace& source,
                    std::span<const Issue> facts, CheckedClip* checked) {
  ConvertResult* result = &checked->finding.result;
  const auto content = checked->traits.content;
  checked->traits = TraitsOf(*result, facts, source);
  checked->traits.content = content;
  DropFacts(options, &result->report);
  if (expectations != nullptr) {
    CheckExpectations(*expectations, checked->traits, options, result);
  }
}

// Compares a clip that was read with the baselines.
void UseBaselines(const ClipChecks& checks, const ReportOptions& options,
                  CheckedClip* checked) {
  Report* report = &checked->finding.result.report;
  const std::string& path = checked->finding.path;
  if (checks.written_baseline != nullptr) {
    checks.written_baseline->Add(path, *report);
  }
  if (checks.baseline != nullptr) {
    checked->finding.known_issues =
        checks.baseline->TakeOut(path, options, report);
  }
}

// The lowest severity that is listed. Issues that make a clip fail are listed
// in any case.
Severity LeastListed(const ClipChecks& checks, bool passes) {
  const bool has_failed_by_warnings =
      !passes && checks.fail_on == FailOn::kWarning;
  return has_failed_by_warnings ? std::max(checks.severity, Severity::kWarning)
                                : checks.severity;
}

// True if the clip passes. The errors of a baseline fail no clip.
bool PassesWithBaseline(const ClipChecks& checks, const ClipFinding& finding,
                        bool is_reported) {
  const Report& report = finding.result.report;
  if (finding.known_issues == 0) {
    return finding.result.status.ok() && Passes(report, checks.fail_on);
  }
  return is_reported && report.counts.errors == 0 &&
         (checks.fail_on != FailOn::kWarning || report.counts.warnings == 0);
}

// Reads and checks the clip `input`, the one with this index among the inputs.
// `expectations` are those of its data set, or null. Returns all errors in the
// result: see `outcome` and finding.error. Several threads may check clips at
// the same time.
CheckedClip CheckClip(const ClipChecks& checks, const Session& session,
                      const Input& input, size_t index,
                      const Expectations* expectations,
                      ClipProgress* progress) {
  CheckedClip checked;
  ClipFinding& finding = checked.finding;
  ConvertResult& result = finding.result;
  finding.index = index;
  finding.path = input.path;
  finding.view = checks.view;
  const ReportOptions options = OptionsFor(checks, input, expectations);
  const bool is_compared = checks.hashes_content || expectations != nullptr;
  const std::vector<Issue> facts = Validate(checks, session, input, options,
                                            is_compared, progress, &checked);
  const int64_t bytes = checked.outcome.bytes;
  checked.outcome = OutcomeOf(session, input, result);
  checked.outcome.bytes = bytes;
  finding.is_read = HasReport(result) && !absl::IsCancelled(result.status);
  // The report holds the reason, unless the clip is not the cause.
  const bool is_reported =
      finding.is_read &&
      (result.status.ok() || FirstError(result.report) != nullptr);
  if (finding.is_read) {
    CompleteReport(options, expectations, checks.convert.edits.source, facts,
                   &checked);
    UseBaselines(checks, options, &checked);
    checked.is_cut = result.report.truncated;
    finding.passes = PassesWithBaseline(checks, finding, is_reported);
    checked.outcome.kind =
        finding.passes ? Outcome::Kind::kGood : Outcome::Kind::kFailed;
    ListFrom(LeastListed(checks, finding.passes), &result.report);
    finding.codes = CodesOf(result.report);
    CutTo(checks.convert.report.max_issues, &finding);
  }
  if (is_reported) checked.outcome.diagnostics.clear();
  if (!is_reported) finding.error = std::string(MessageOf(result.status));
  checked.is_checked =
      finding.is_read || checked.outcome.kind == Outcome::Kind::kFailed;
  return checked;
}

// The run over all clips.

ClipChecks ChecksOf(const ValidateFlags& flags, const Session& session,
                    const Rendering& rendering, size_t clips) {
  ClipChecks checks;
  checks.convert = flags.convert;
  checks.convert.measures = rendering.has_measures;
  checks.severity = flags.severity;
  checks.fail_on = flags.fail_on;
  const bool on_terminal = session.console->stdout_is_terminal() &&
                           flags.report.output == kStandardOutput;
  checks.view = ViewFor(on_terminal && rendering.is_for_people);
  checks.view.with_utf16 = rendering.has_utf16_columns;
  checks.has_pictures = rendering.has_pictures;
  checks.hashes_content = clips > 1;
  checks.has_digests = !flags.dataset.passed.empty();
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

// Why the list of clips that pass is not written; empty if it is complete.
std::string WhyNoList(const RunSummary& summary, bool is_report_written) {
  if (!summary.complete) return "not all clips were checked";
  return is_report_written ? "" : "the report was not written";
}

// Why no baseline is written; empty if it is complete. With an incomplete
// baseline, later runs would report known faults as new.
std::string WhyNoBaseline(const RunSummary& summary, bool is_report_written) {
  const int64_t not_read = summary.dataset.verdicts.not_read;
  if (summary.complete && not_read > 0) {
    return Count(not_read, "clip") + (not_read == 1 ? " was" : " were") +
           " not read";
  }
  return WhyNoList(summary, is_report_written);
}

// The summary of a run whose report contains `checked` clips.
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

// Checks all clips in several threads, and calls `take` with each of them in
// the order of the inputs.
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

// Notes about the baselines; whole lines. With -q only those about an
// incomplete baseline.
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
    out += Printable(files.output) +
           ": note: the baseline lacks the issues that --only or --ignore "
           "leaves out\n";
  }
  if (!why_not_written.empty()) {
    out += Printable(files.output) + ": warning: not written, since " +
           why_not_written + "\n";
  } else if (parts.written_baseline && cut_clips > 0) {
    out += Printable(files.output) + ": warning: " + Count(cut_clips, "clip") +
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

// A line with the command that explains the most frequent code of the worst
// severity; empty if no clip has an error or a warning.
std::string HowToGoOn(const DatasetSummary& dataset) {
  const bool has_fault = !dataset.codes.empty() &&
                         dataset.codes.front().severity <= Severity::kWarning;
  return has_fault ? "bvhmill explain " + dataset.codes.front().code +
                         " says what to do\n"
                   : "";
}

// The summary for people; without totals if there is one clip, unless the run
// is dry. On a terminal, it also says what to do about one clip.
std::string SummaryFor(const ValidateFlags& flags, const Totals& totals,
                       int64_t changed, const DatasetSummary& dataset,
                       bool on_terminal) {
  if (totals.clips < 2 && !flags.is_dry_run) {
    return on_terminal ? HowToGoOn(dataset) : "";
  }
  const std::string verb =
      flags.is_dry_run ? "passed (" + std::to_string(changed) + " would change)"
                       : "passed";
  return Summary(totals, verb) +
         (totals.clips > 1 ? SummaryText(dataset) : "") + HowToGoOn(dataset);
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

// The path of `input` as sha256sum names it: stdin is "-".
std::string ChecksumPath(const Input& input) {
  return input.is_stdin ? "-" : input.path;
}

// Writes `digests` into the file of --passed, or says why not.
absl::Status WritePassed(const ValidateFlags& flags,
                         const std::map<std::string, std::string>& digests,
                         const std::string& why_not, Console* console,
                         std::optional<ReportOutput>* file) {
  if (!*file) return absl::OkStatus();
  if (!why_not.empty()) {
    console->PrintDiagnostics(Printable(flags.dataset.passed) +
                              ": warning: not written, since " + why_not +
                              "\n");
    return absl::OkStatus();
  }
  (*file)->Put(ChecksumLines(digests));
  return (*file)->Close();
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
  // The checksums of the clips that pass, by path.
  std::map<std::string, std::string> digests;
  int64_t clips_checked = 0;
  int64_t clips_changed = 0;
  // With -q, text is about the clips that fail or that a repair would change. A
  // file has all clips.
  const bool are_good_left_out =
      flags.run.quiet && rendering.is_for_people && output->is_stdout();
  const auto is_left_out = [&](const CheckedClip& checked) {
    return are_good_left_out && checked.finding.passes &&
           !HasChange(checked.finding.result.report);
  };
  output->Put(writer->Begin(FactsOf(flags)));
  const Totals totals = CheckClips(
      checks, *parts, session, *writer,
      [&](CheckedClip* checked, std::string rendered) {
        ++clips_checked;
        clips_changed += HasChange(checked->finding.result.report) ? 1 : 0;
        tally.Add(checked->finding, checked->is_cut, checked->traits);
        if (checks.has_digests && checked->finding.passes) {
          const Input& input = parts->inputs[checked->finding.index];
          digests.emplace(ChecksumPath(input), checked->digest);
        }
        PutLine(checked->finding, parts);
        if (is_left_out(*checked)) return true;
        if (parts->lines && parts->lines->is_on_stdout()) return true;
        return output->Put(writer->Add(checked->finding, std::move(rendered)));
      });
  const RunSummary summary = SummaryOf(totals, clips_checked, *parts, tally);
  Console* console = session.console;
  absl::Status written =
      WriteEnds(summary, *console, writer.get(), output, &parts->summary_file);
  const bool is_report_written = written.ok() && !console->data_lost();
  std::string why_no_baseline;
  if (parts->written_baseline) {
    why_no_baseline = WhyNoBaseline(summary, is_report_written);
    if (why_no_baseline.empty()) {
      parts->baseline_file->Put(parts->written_baseline->Text());
      written = parts->baseline_file->Close();
    }
  }
  console->PrintDiagnostics(
      BaselineNotes(flags, *parts, summary, why_no_baseline));
  written.Update(WritePassed(flags, digests,
                             WhyNoList(summary, is_report_written), console,
                             &parts->passed_file));
  if (!written.ok()) {
    console->PrintDiagnostics("bvhmill: " + std::string(MessageOf(written)) +
                              "\n");
  }
  if (!flags.run.quiet) {
    console->PrintDiagnostics(SummaryFor(flags, totals, clips_changed,
                                         summary.dataset,
                                         console->stderr_is_terminal()));
  }
  const bool has_lines = !parts->lines || !parts->lines->failed();
  return written.ok() && has_lines && !console->data_lost()
             ? totals.exit
             : std::max(totals.exit, kExitClipFailed);
}

}  // namespace bvhmill::client
