#include "client/cli/commands/conversion.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/files/outputs.h"
#include "client/cli/batch.h"
#include "client/cli/io/clip_outputs.h"
#include "client/cli/io/gone_outputs.h"
#include "client/cli/io/new_file.h"
#include "client/cli/manifest.h"
#include "client/cli/ui/console.h"
#include "client/cli/ui/issue_lines.h"
#include "client/cli/ui/json_text.h"
#include "client/cli/ui/progress.h"

namespace bvhmill::client {
namespace {

constexpr std::string_view kStdout = "-";

// ".npy" of "take.positions.npy".
std::string_view LastExtension(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == name.npos ? std::string_view() : name.substr(dot);
}

// The last extensions of all formats and of the report.
std::set<std::string_view> LastExtensions() {
  std::set<std::string_view> all = {LastExtension(kReportExtension)};
  for (const Format& format : Formats()) {
    all.insert(LastExtension(format.extension));
  }
  return all;
}

bool NamesOneFile(const std::string& output) {
  if (output == kStdout) return true;
  std::error_code error;
  return LastExtensions().contains(LastExtension(output)) &&
         !std::filesystem::is_directory(output, error);
}

std::string WhyNotOneFile(const ConversionOptions& options,
                          const std::vector<Input>& inputs) {
  const bool is_stdout = options.output == kStdout;
  const std::string what = is_stdout ? "-o - is stdout, which takes "
                                     : "-o " + Printable(options.output) +
                                           " is a file, which takes ";
  if (inputs.size() != 1) {
    return what + "one clip, not " + std::to_string(inputs.size()) +
           "; use a folder, such as -o out";
  }
  const std::vector<std::string> extensions =
      ExtensionsOf(options.convert.outputs, options.report);
  if (extensions.size() != 1) {
    return what + "one format of --emit, not " +
           std::to_string(extensions.size()) + "; use a folder, such as -o out";
  }
  if (options.resume) return what + "no --resume; use a folder, such as -o out";
  if (options.delete_gone) {
    return what + "no --delete; use a folder, such as -o out";
  }
  const std::string_view wanted = LastExtension(extensions[0]);
  if (!is_stdout && LastExtension(options.output) != wanted) {
    return "-o " + Printable(options.output) + " does not end in " +
           std::string(wanted) + ", as the format of --emit does";
  }
  if (is_stdout && options.table) return what + "the output, not --table";
  if (is_stdout && options.report_jsonl == kStdout) {
    return what + "the output, not --report-jsonl -";
  }
  return {};
}

}  // namespace

std::string ChooseOutput(const std::vector<Input>& inputs,
                         ConversionOptions* options) {
  options->one_file = NamesOneFile(options->output);
  return options->one_file ? WhyNotOneFile(*options, inputs)
                           : WhyNoFolder(options->output);
}

std::string WhyNoFolder(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension();
  const bool has_letter =
      std::any_of(extension.begin(), extension.end(),
                  [](unsigned char c) { return c >= 0x80 || isalpha(c); });
  std::error_code error;
  if (!has_letter || std::filesystem::exists(output, error)) return {};
  std::string formats;
  for (const std::string_view format : LastExtensions()) {
    formats += (formats.empty() ? "" : ", ") + std::string(format);
  }
  const std::string_view why =
      LastExtensions().contains(LastExtension(output))
          ? " has the extension of a file; a file is one output of one clip, "
            "and ends in the extension of its format: "
          : " has the extension of no format; formats end in ";
  return "-o " + Printable(output) + std::string(why) + formats +
         "; a folder of this name is written " + Printable(output) + "/";
}

std::string ConversionLine(const std::string& path, const ConvertResult& result,
                           const std::vector<std::string>& outputs) {
  const bool is_read = HasReport(result);
  const absl::Status& status = FirstFailure(result);
  const std::string message(MessageOf(status));
  return JsonObject(
      {{"file", JsonPath(path)},
       {"status", JsonQuote(absl::StatusCodeToString(status.code()))},
       {"message", status.ok() ? "null" : JsonQuote(message)},
       {"outputs", JsonArray(outputs, JsonPath)},
       {"report", is_read ? ReportJson(result.report) : "null"},
       {"info", is_read ? ClipInfoJson(result.info) : "null"}});
}

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

ConversionRun::ConversionRun(const ConversionOptions& options,
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

// Prints each input with its outputs.
ExitCode ConversionRun::ShowPlan() {
  bool are_read = true;
  const std::string folder =
      options_.output.ends_with('/') ? options_.output : options_.output + "/";
  for (const Input& input : inputs_) {
    if (!input.status.ok()) {
      are_read = false;
      session_.console->PrintDiagnostics(
          "bvhmill: " + FailureLine(input.path, input.status) + "\n");
      continue;
    }
    std::string outputs = options_.one_file ? " " + options_.output : "";
    for (const std::string& extension :
         ExtensionsOf(options_.convert.outputs, options_.report)) {
      if (options_.one_file) break;
      outputs += " " + Printable(folder + input.base + extension);
    }
    session_.console->PrintData(Printable(input.path) + " ->" + outputs + "\n");
  }
  const ExitCode exit = options_.delete_gone ? ShowGone() : kExitGood;
  return are_read ? exit : std::max(exit, kExitClipFailed);
}

// Prints the outputs that --delete would delete. Makes no folder.
ExitCode ConversionRun::ShowGone() {
  std::error_code error;
  if (!std::filesystem::is_directory(options_.output, error)) return kExitGood;
  absl::Status status = OpenFolder();
  if (status.ok()) status = manifest_.emplace(&*directory_).Read();
  if (!status.ok()) {
    session_.console->PrintDiagnostics(
        "bvhmill: " + std::string(MessageOf(status)) + "\n");
    return kExitUsage;
  }
  for (const GoneOutput& gone :
       FindGone(*directory_, *manifest_, rules_, inputs_)) {
    session_.console->PrintData("delete " + Printable(gone.path) + "\n");
  }
  return kExitGood;
}

// Deletes the outputs of clips that are gone, and returns a line for the
// summary. Deletes nothing after a run that is not complete: an input that was
// not found may be the clip of an output.
std::string ConversionRun::DeleteGoneOutputs(Totals* totals) {
  const bool are_found =
      std::all_of(inputs_.begin(), inputs_.end(),
                  [](const Input& input) { return input.status.ok(); });
  if (totals->is_cut || totals->exit > kExitClipFailed || !are_found) {
    return "nothing is deleted, since not all inputs were taken\n";
  }
  int64_t deleted = 0;
  for (const GoneOutput& gone :
       FindGone(*directory_, *manifest_, rules_, inputs_)) {
    const absl::Status status = DeleteGone(*directory_, gone, &*manifest_);
    deleted += status.ok() ? 1 : 0;
    if (status.ok()) continue;
    totals->exit = std::max(totals->exit, kExitClipFailed);
    session_.console->PrintDiagnostics(
        "bvhmill: " + std::string(MessageOf(status)) + "\n");
  }
  return Count(deleted, "output") + " deleted, whose clips are gone\n";
}

ExitCode ConversionRun::Run() {
  if (options_.dry_run) return ShowPlan();
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
  session_.console->PrintDiagnostics(existing_text_);
  const std::string deleted =
      options_.delete_gone ? DeleteGoneOutputs(&totals) : "";
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
    session_.console->PrintDiagnostics(Summary(totals, Verb()) + deleted +
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

// The report of a repaired clip counts the faults before the repair.
bool ConversionRun::CountsRepairs() const {
  return !IsEmpty(options_.convert.edits.repairs) && !options_.fail_on;
}

std::string ConversionRun::Verb() const {
  if (IsEmpty(options_.convert.edits.repairs)) return "converted";
  return "converted (" + std::to_string(changed_) + " changed)";
}

// Names the most frequent code of errors, or else of warnings.
std::string ConversionRun::HowToGoOn() const {
  std::string code = errors_.MostFrequent(Severity::kError);
  if (code.empty()) code = codes_.MostFrequent(Severity::kWarning);
  if (code.empty()) return code;
  return "bvhmill explain " + code + " says what to do\n";
}

absl::Status ConversionRun::OpenOutputs() {
  BVHMILL_RETURN_IF_ERROR(OpenFolder());
  if (!options_.one_file) BVHMILL_RETURN_IF_ERROR(OpenManifest());
  return lines_.Open(options_.report_jsonl, options_.force, options_.resume);
}

// An output for stdout is collected in an unnamed file first.
absl::Status ConversionRun::OpenFolder() {
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

absl::Status ConversionRun::OpenManifest() {
  manifest_.emplace(&*directory_);
  rules_.manifest = &*manifest_;
  rules_.max_clip_bytes = session_.engine->MaxClipBytes();
  rules_.options_digest =
      OptionsDigest(options_.convert, options_.from, session_.engine->Build());
  // Such a run relies on what the manifest says when it begins.
  const bool reads = options_.resume || options_.delete_gone;
  BVHMILL_RETURN_IF_ERROR(manifest_->Lock(/*alone=*/reads));
  return reads ? manifest_->Read() : absl::OkStatus();
}

Outcome ConversionRun::ConvertOne(size_t index, ClipProgress* progress) {
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
  if (outputs.exists()) FoldExisting(outputs, &outcome);
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

// Many clips whose outputs exist are one message at the end.
void ConversionRun::FoldExisting(const ClipOutputs& outputs, Outcome* outcome) {
  const std::lock_guard lock(existing_mutex_);
  ++existing_;
  existing_text_ = existing_ == 1 ? std::exchange(outcome->diagnostics, {})
                                  : "bvhmill: " + Printable(options_.output) +
                                        ": error: the outputs "
                                        "of " +
                                        std::to_string(existing_) +
                                        " clips exist; use -f" +
                                        outputs.OtherWays() + "\n";
  outcome->diagnostics.clear();
}

// Prints the warnings of a clip that was converted or that fails by them, and
// counts its codes.
void ConversionRun::Warn(const Input& input, const ConvertResult& result,
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
  const std::string named = view.grouped ? "" : input.path;
  const std::string repairs = RepairText(named, report, view);
  const std::string warnings = WarningText(named, report, view);
  const std::string note =
      repairs.empty() || warnings.empty()
          ? ""
          : (view.grouped ? "  " : Printable(named) + ": ") +
                "note: warnings are about the clip before its repair\n";
  std::string lines = repairs + note + warnings;
  if (view.grouped && !lines.empty()) {
    lines = Printable(input.path) + "\n" + lines + "\n";
  }
  outcome->diagnostics.insert(0, lines);
}

ConvertResult ConversionRun::ConvertInto(const Input& input,
                                         ClipOutputs* outputs, IssueView* view,
                                         int64_t* bytes,
                                         ClipProgress* progress) {
  ConvertResult result = WithClip(
      session_, input, options_.convert.report,
      [&](const ClipData& clip) {
        // The first half of the progress of a clip in pieces is its read or
        // its upload.
        const int64_t begin = clip.on_read ? *bytes / 2 : 0;
        ProgressReceiver receiver(outputs, options_.convert.outputs, begin,
                                  *bytes, progress);
        ConvertResult made = session_.engine->Convert(
            input.path, clip, options_.convert, &receiver, session_.cancel);
        TakeLinesOf(clip, made.report, view);
        return made;
      },
      bytes, progress);
  // An interrupted clip leaves no output. The outputs of an earlier run stay
  // after an interrupt, and after the loss of the server.
  if (absl::IsCancelled(result.status) || absl::IsUnavailable(result.status) ||
      !outputs->status().ok()) {
    return result;
  }
  // If some outputs could not be made, the others are still written.
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

ConversionRun::Row ConversionRun::MakeRow(const ConvertResult& result,
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

std::string ConversionRun::Table() const {
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
                     std::move(cells), session_.console->stdout_width());
}

}  // namespace bvhmill::client
