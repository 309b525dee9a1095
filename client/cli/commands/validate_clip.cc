#include "client/cli/commands/validate_clip.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "client/cli/dataset/relative_path.h"
#include "client/cli/io/read_clip.h"
#include "client/cli/picture/picture_check.h"
#include "client/cli/ui/code_tally.h"

namespace bvhmill::client {
namespace {

// The hints that state facts about a clip.
constexpr std::string_view kFacts[] = {"DATA_UNIT_GUESS", "DATA_UP_AXIS_GUESS"};

// Puts the other codes that a word names in its place if it names `fact`. Other
// groups stay groups: a server may know other codes.
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
// report about a clip whose unit is stated has no guess: the clip is then
// checked once more, for the facts alone. A list that was cut gets them.
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

// As Ask, with all facts. An older server may get the words of `options`
// instead: the report then lacks the facts that they ignore.
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

// The hashes of a clip as it is when it is unpacked; none if it cannot be
// unpacked.
std::optional<ContentHashes> HashesOf(const Session& session,
                                      const Input& input,
                                      const ClipData& clip) {
  const bool is_bvh = clip.format == SourceFormat::kBvh;
  if (clip.encoding == v1::CONTENT_ENCODING_IDENTITY) {
    return HashContent(clip.bytes, is_bvh);
  }
  ClipText text(clip.bytes.begin(), clip.bytes.end());
  const absl::Status status = UnpackClip(
      EncodingOf(input), session.engine->MaxClipBytes(), session.cancel, &text);
  if (!status.ok()) return std::nullopt;
  return HashContent(ViewOf(text), is_bvh);
}

// Sets the result, the content and the lines of the clip. Returns its facts,
// which are whole if they are `compared` with others.
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
      &checked->outcome.bytes, progress);
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

// Issues that make a clip fail are listed in any case.
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

}  // namespace

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

}  // namespace bvhmill::client
