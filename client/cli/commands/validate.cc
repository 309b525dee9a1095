#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "client/cli/batch.h"
#include "client/cli/commands/commands.h"
#include "client/cli/commands/validate_run.h"
#include "client/cli/io/new_file.h"
#include "client/cli/options/options.h"

namespace bvhmill::client {
namespace {

constexpr char kValidateExamples[] =
    "  bvhmill validate take.bvh\n"
    "  bvhmill validate -r takes --json > reports.jsonl\n"
    "  bvhmill validate -r takes --format html -o report.html\n"
    "  bvhmill validate -r takes --format sarif -o takes.sarif\n"
    "  bvhmill validate -r takes --baseline known.jsonl --fail-on warning\n"
    "  bvhmill validate -r takes --passed passed.sha256\n"
    "  bvhmill validate take.bvh --emit anim --anim-map mixamo\n";

// Completes the options after the command line is parsed. Returns what is
// wrong; empty if nothing is.
std::string CompleteValidate(const CLI::App* app, const Session& session,
                             ValidateFlags* flags) {
  const std::string wrong = ChooseEngine(session, &flags->run);
  return wrong.empty()
             ? CompleteOptions(app, session, &flags->outputs, &flags->convert)
             : wrong;
}

// Opens the file `path` of `option`, unless that is empty.
absl::Status OpenFile(const char* option, const std::string& path, bool force,
                      Console* console, std::optional<ReportOutput>* file) {
  if (path.empty()) return absl::OkStatus();
  const absl::Status status = file->emplace(console).Open(path, force);
  if (status.ok()) return status;
  return MakeStatus(
      absl::StatusCode::kInvalidArgument,
      std::string(option) + ": " + std::string(MessageOf(status)));
}

// Finds the inputs and opens the files that the command line names, so that
// wrong names are reported before the clips are read.
absl::Status OpenParts(const ValidateFlags& flags, std::set<FileId> read,
                       const Session& session, ValidateParts* parts,
                       ReportOutput* output) {
  auto inputs = TakeInputs(flags.input, std::nullopt, flags.run.quiet, session);
  if (!inputs.ok()) return inputs.status();
  parts->inputs = *std::move(inputs);
  auto expectations = ClipExpectations::Find(flags.dataset.expectations,
                                             parts->inputs, session.cancel);
  if (!expectations.ok()) return expectations.status();
  parts->expectations = *std::move(expectations);
  const BaselineFlags& files = flags.dataset.baseline;
  if (!files.file.empty()) {
    auto baseline = Baseline::Read(files.file, session.cancel);
    if (!baseline.ok()) return baseline.status();
    parts->baseline.emplace(*std::move(baseline));
  }
  if (!files.output.empty()) parts->written_baseline.emplace(files.output);
  const SideFile outputs[] = {
      {"-o", flags.report.output},
      {"--summary", flags.report.summary},
      {"--write-baseline", files.output, /*renews=*/files.file},
      {"--passed", flags.dataset.passed}};
  for (const std::string& path : parts->expectations.ReadPaths()) {
    if (const auto id = IdOfFile(path)) read.insert(*id);
  }
  BVHMILL_RETURN_IF_ERROR(CheckSideFiles(outputs, read, parts->inputs));
  const bool force = flags.report.force;
  BVHMILL_RETURN_IF_ERROR(OpenFile("--summary", flags.report.summary, force,
                                   session.console, &parts->summary_file));
  BVHMILL_RETURN_IF_ERROR(OpenFile("--write-baseline", files.output, force,
                                   session.console, &parts->baseline_file));
  BVHMILL_RETURN_IF_ERROR(OpenFile("--passed", flags.dataset.passed, force,
                                   session.console, &parts->passed_file));
  return output->Open(flags.report.output, force);
}

// The joints of the BVH file `path`.
absl::StatusOr<JointList> ReadJoints(const Session& session,
                                     const std::string& path) {
  Input input;
  input.path = path;
  int64_t bytes = 0;
  ClipProgress progress = 0;
  const ConvertResult result = WithClip(
      session, input, {},
      [&](const ClipData& clip) {
        return session.engine->Validate(path, clip, {}, session.cancel);
      },
      &bytes, &progress);
  if (!result.info.joints.empty()) return result.info.joints;
  const Issue* error = FirstError(result.report);
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    error != nullptr ? RenderIssue(*error)
                                     : std::string(MessageOf(result.status)));
}

int RunValidate(const CLI::App* app, ValidateFlags* flags, Session* session) {
  const std::string wrong = CompleteValidate(app, *session, flags);
  if (!wrong.empty()) return Misused(app, session, wrong);
  ValidateParts parts;
  ReportOutput output(session->console);
  absl::Status status =
      OpenParts(*flags, FilesReadBy(app), *session, &parts, &output);
  if (!status.ok()) {
    return Misused(app, session, std::string(MessageOf(status)));
  }
  session->options = flags->run;
  const ExitCode exit = OpenEngine(session);
  if (exit != kExitGood) return exit;
  status = parts.expectations.ReadSkeletons([session](const std::string& path) {
    return ReadJoints(*session, path);
  });
  if (!status.ok()) {
    return Misused(app, session, std::string(MessageOf(status)));
  }
  return CheckAll(*flags, *session, &parts, &output);
}

}  // namespace

Command AddValidate(CLI::App* parent) {
  const auto flags = std::make_shared<ValidateFlags>();
  CLI::App* app =
      parent->add_subcommand("validate", "report what is wrong with clips");
  app->footer(kValidateExamples);
  AddInputOptions(app, &flags->input);
  AddOptionFlags(app, {OptionGroup::kReading}, &flags->convert);
  AddEmitFlag(app, "also check whether these formats can be made", "",
              &flags->outputs);
  AddOutputFlags(app, &flags->outputs);
  AddAnimFlags(app, &flags->outputs);
  AddEditFlags(app, &flags->convert);
  AddOptionFlags(app, {OptionGroup::kReport}, &flags->convert);
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
  AddDatasetOptions(app, &flags->dataset);
  AddBatchOptions(app, &flags->run);
  app->get_option("--quiet")->description(
      "print only clips that fail, and no totals");
  AddServerOptions(app, kConvertingServer, &flags->run.connect);
  AddLocalOptions(app, &flags->run);
  return {app, [app, flags](Session* session) {
            return RunValidate(app, flags.get(), session);
          }};
}

}  // namespace bvhmill::client
