#include "client/cli/commands/conversion.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/report_json.h"
#include "client/cli/claims.h"
#include "client/cli/commands/conversion_line.h"
#include "client/cli/io/item_key.h"
#include "client/cli/io/progress_receiver.h"
#include "client/cli/io/side_files.h"
#include "client/cli/options_digest.h"
#include "client/cli/ui/issue_lines.h"
#include "client/cli/ui/table.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {

void AddFileOptions(CLI::App* app, const std::string& group,
                    ConversionOptions* conversion) {
  app->add_flag("-f,--force", conversion->force, "overwrite outputs that exist")
      ->group(group);
  app->add_flag("--resume", conversion->resume,
                "skip a clip if the manifest of the folder says that\n"
                "its outputs are up to date")
      ->group(group);
  app->add_option("--report-jsonl", conversion->report_jsonl,
                  "write one line of JSON per clip; - is stdout")
      ->type_name("FILE")
      ->group(group);
}

absl::Status CheckFiles(const ConversionOptions& conversion,
                        const std::vector<Input>& inputs) {
  std::vector<SideFile> files = {{"--report-jsonl", conversion.report_jsonl}};
  if (conversion.one_file) files.push_back({"-o", conversion.output});
  BVHMILL_RETURN_IF_ERROR(CheckSideFiles(files, conversion.read, inputs));
  if (conversion.one_file) return absl::OkStatus();
  return CheckIsNoOutput(
      files[0], conversion.output,
      ExtensionsOf(conversion.convert.outputs, conversion.report), inputs);
}

Conversion::Conversion(const ConversionOptions& options,
                       std::vector<Input> inputs, Session* session)
    : options_(options),
      session_(*session),
      inputs_(std::move(inputs)),
      lines_(session->console) {
  rules_.requests = options.convert.outputs;
  rules_.report = options.report;
  rules_.force = options.force;
  rules_.resume = options.resume;
  ClaimOutputs(&inputs_);
  rules_.inputs = IdsOfFiles(inputs_);
  rules_.read = options.read;
}

ExitCode Conversion::Run() {
  const ExitCode exit = OpenEngine(&session_);
  if (exit != kExitGood) return exit;
  const absl::Status ready = OpenOutputs();
  if (!ready.ok()) {
    session_.console->PrintDiagnostics(
        "bvhmill: " + std::string(MessageOf(ready)) + "\n");
    return kExitUsage;
  }
  rows_.resize(inputs_.size());
  Totals totals =
      RunClips(session_, inputs_, [this](size_t index, ClipProgress* progress) {
        return ConvertOne(index, progress);
      });
  if (lines_.failed()) totals.exit = std::max(totals.exit, kExitClipFailed);
  if (options_.table) session_.console->PrintData(Table());
  if (session_.console->data_lost()) {
    totals.exit = std::max(totals.exit, kExitClipFailed);
  }
  if (totals.exit == kExitInterrupted) {
    session_.console->PrintDiagnostics(
        options_.one_file ? "bvhmill: interrupted\n"
                          : "bvhmill: interrupted; --resume goes on\n");
  }
  if (totals.exit == kExitUnreachable && !options_.one_file) {
    session_.console->PrintDiagnostics("bvhmill: --resume goes on\n");
  }
  if (!session_.options.quiet) {
    session_.console->PrintDiagnostics(Summary(totals, Verb()) +
                                       choices_.Lines() +
                                       errors_.Line(Severity::kError));
  }
  if (!session_.options.quiet || options_.fail_on) {
    const std::string changes = codes_.Line(Severity::kInfo, "repaired");
    session_.console->PrintDiagnostics((CountsRepairs() ? changes : "") +
                                       codes_.Line(Severity::kWarning));
  }
  if (!session_.options.quiet) session_.console->PrintDiagnostics(HowToGoOn());
  return totals.exit;
}

// The faults of a clip that is repaired are those before it.
bool Conversion::CountsRepairs() const {
  return !IsEmpty(options_.convert.edits.repairs) && !options_.fail_on;
}

std::string Conversion::Verb() const {
  if (IsEmpty(options_.convert.edits.repairs)) return "converted";
  return "converted (" + std::to_string(changed_) + " changed)";
}

// Names the most frequent code of errors, or else of warnings.
std::string Conversion::HowToGoOn() const {
  std::string code = errors_.MostFrequent(Severity::kError);
  if (code.empty()) code = codes_.MostFrequent(Severity::kWarning);
  if (code.empty()) return code;
  return "bvhmill explain " + code + " says what to do\n";
}

absl::Status Conversion::OpenOutputs() {
  BVHMILL_RETURN_IF_ERROR(OpenFolder());
  if (!options_.one_file) BVHMILL_RETURN_IF_ERROR(OpenManifest());
  return lines_.Open(options_.report_jsonl, options_.force, options_.resume);
}

// An output for stdout is collected in an unnamed file first.
absl::Status Conversion::OpenFolder() {
  std::string folder = options_.output;
  if (options_.one_file && options_.output == "-") {
    rules_.to_stdout = session_.console;
    std::error_code error;
    folder = std::filesystem::temp_directory_path(error).native();
    if (error) folder = "/tmp";
  } else if (options_.one_file) {
    const std::filesystem::path whole(options_.output);
    rules_.file_name = whole.filename().native();
    folder = whole.parent_path().native();
  }
  absl::StatusOr<OutputDir> directory =
      OutputDir::Open(folder.empty() ? "." : folder);
  if (!directory.ok()) return directory.status();
  directory_ = *std::move(directory);
  return absl::OkStatus();
}

absl::Status Conversion::OpenManifest() {
  manifest_.emplace(&*directory_);
  rules_.manifest = &*manifest_;
  rules_.max_clip_bytes = session_.engine->MaxClipBytes();
  rules_.options_digest =
      OptionsDigest(options_.convert, options_.from, session_.engine->Build());
  return options_.resume ? manifest_->Read() : absl::OkStatus();
}

Outcome Conversion::ConvertOne(size_t index, ClipProgress* progress) {
  const auto start = std::chrono::steady_clock::now();
  const Input& input = inputs_[index];
  ClipOutputs outputs(*directory_, rules_, input);
  ConvertResult result;
  IssueView view = ViewFor(session_.console->stderr_is_terminal());
  int64_t bytes = 0;
  const absl::StatusOr<bool> needed =
      input.status.ok() ? outputs.Prepare(session_.cancel) : true;
  if (!needed.ok()) {
    result.status = needed.status();
  } else if (*needed) {
    result = ConvertInto(input, &outputs, &view, &bytes, progress);
  }
  Outcome outcome = OutcomeOf(session_, input, result, view);
  outcome.bytes = bytes;
  Warn(input, result, view, &outcome);
  const bool is_good = outcome.kind == Outcome::Kind::kGood;
  if (is_good && HasChange(result.report)) ++changed_;
  if (needed.ok() && !*needed) {
    outcome.kind = Outcome::Kind::kSkipped;
  } else if (outcome.kind == Outcome::Kind::kGood ||
             outcome.kind == Outcome::Kind::kFailed ||
             outcome.kind == Outcome::Kind::kServerError) {
    if (lines_.is_open()) {
      lines_.Put(ConversionLine(input.path, result, outputs.paths()));
    }
  }
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  rows_[index] = MakeRow(result, outputs, outcome, time.count());
  return outcome;
}

// Shows the warnings of a clip that was converted, or fails by them.
void Conversion::Warn(const Input& input, const ConvertResult& result,
                      const IssueView& view, Outcome* outcome) {
  const Report& report = result.report;
  const bool is_partly_made = result.status.ok() && !FirstFailure(result).ok();
  const bool fails_by_them = outcome->kind == Outcome::Kind::kFailed &&
                             !Passes(report, options_.fail_on);
  if (outcome->kind == Outcome::Kind::kFailed) errors_.Add(report);
  const bool speaks =
      outcome->kind == Outcome::Kind::kGood || fails_by_them || is_partly_made;
  if (!speaks || !IsGood(report.verdict)) return;
  if (CountsRepairs()) {
    Report repairs = report;
    std::erase_if(repairs.issues,
                  [](const Issue& issue) { return !IsRepair(issue.code); });
    codes_.Add(repairs);
  } else {
    codes_.Add(report);
  }
  choices_.Add(report);
  if (session_.options.quiet) return;
  const std::string repairs = RepairText(input.path, report, view);
  const std::string warnings = WarningText(input.path, report, view);
  const std::string note =
      repairs.empty() || warnings.empty()
          ? ""
          : Printable(input.path) +
                ": note: warnings are about the clip before its repair\n";
  outcome->diagnostics.insert(0, repairs + note + warnings);
}

ConvertResult Conversion::ConvertInto(const Input& input, ClipOutputs* outputs,
                                      IssueView* view, int64_t* bytes,
                                      ClipProgress* progress) {
  ConvertResult result = WithClip(
      session_, input, options_.convert.report,
      [&](const ClipData& clip) {
        // A clip that goes in pieces moves the first half while it is read or
        // sent.
        const int64_t begin = clip.on_read ? *bytes / 2 : 0;
        ProgressReceiver receiver(outputs, options_.convert.outputs, begin,
                                  *bytes, progress);
        ConvertResult made = session_.engine->Convert(
            input.path, clip, options_.convert, &receiver, session_.cancel);
        TakeLinesOf(clip, made.report, view);
        return made;
      },
      bytes, progress);
  // A clip that was interrupted leaves no output, and neither that nor a server
  // that is gone is a reason to remove those of an earlier run.
  if (absl::IsCancelled(result.status) || absl::IsUnavailable(result.status) ||
      !outputs->status().ok()) {
    return result;
  }
  // The errors of outputs that could not be made keep no others from being
  // made.
  const bool fails_by_warnings =
      options_.fail_on == FailOn::kWarning && result.report.counts.warnings > 0;
  const bool passes = FirstFailure(result).ok()
                          ? Passes(result.report, options_.fail_on)
                          : !fails_by_warnings;
  if (result.status.ok() && !passes) {
    result.status =
        MakeStatus(absl::StatusCode::kFailedPrecondition,
                   "has " + FaultCounts(result.report.counts) +
                       (IsEmpty(options_.convert.edits.repairs)
                            ? ""
                            : ", counted before its repair") +
                       "; --fail-on warning keeps no outputs of it");
  }
  std::string report;
  if (options_.report && HasReport(result)) {
    report = ReportJson(KeyOfName(input.path), result.report, result.info);
  }
  const absl::Status stored = result.status.ok()
                                  ? outputs->Commit(result, report)
                                  : outputs->CommitReport(report);
  if (!stored.ok()) result.status = stored;
  return result;
}

Conversion::Row Conversion::MakeRow(const ConvertResult& result,
                                    const ClipOutputs& outputs,
                                    const Outcome& outcome,
                                    double seconds) const {
  using Kind = Outcome::Kind;
  Row row;
  if (HasReport(result)) {
    row.warnings = std::to_string(result.report.counts.warnings);
  }
  if (!result.info.joints.empty()) {
    row.joints = std::to_string(result.info.joint_count);
    row.frames = std::to_string(result.info.frames);
  }
  switch (outcome.kind) {
    case Kind::kGood:
      row.verdict = VerdictName(result.report.verdict);
      row.rate = Rate(outcome.bytes, seconds);
      break;
    case Kind::kFailed:
    case Kind::kServerError:
      row.verdict = HasReport(result) && !IsGood(result.report.verdict)
                        ? VerdictName(result.report.verdict)
                        : "failed";
      break;
    case Kind::kSkipped:
      row.verdict = "skipped";
      break;
    default:
      return row;
  }
  row.outputs = std::to_string(outputs.paths().size());
  return row;
}

std::string Conversion::Table() const {
  std::vector<std::vector<std::string>> cells;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    cells.push_back({Printable(inputs_[i].path), row.joints, row.frames,
                     row.verdict, row.warnings, row.outputs, row.rate});
  }
  return RenderTable({{"CLIP", Align::kLeft},
                      {"JOINTS", Align::kRight},
                      {"FRAMES", Align::kRight},
                      {"VERDICT", Align::kLeft},
                      {"WARNINGS", Align::kRight},
                      {"OUTPUTS", Align::kRight},
                      {"MB/s", Align::kRight}},
                     cells);
}

}  // namespace bvhmill::client
