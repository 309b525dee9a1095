#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "client/cli/commands/commands.h"
#include "client/cli/commands/conversion.h"
#include "client/cli/commands/validate_run.h"
#include "client/cli/io/new_file.h"
#include "client/cli/options/option_flags.h"
#include "client/cli/options/options.h"

namespace bvhmill::client {
namespace {

constexpr char kRepairExamples[] =
    "  bvhmill repair take.bvh -o fixed --all --dry-run\n"
    "  bvhmill repair take.bvh -o fixed --all\n"
    "  bvhmill repair -r takes -o fixed --fill-gaps 5 --unwrap\n";

// Longer gaps are better filled by a person.
constexpr int32_t kAllGapFrames = 10;

struct RepairFlags {
  RunOptions run;
  InputOptions input;
  ConversionOptions conversion;
  bool all = false;
  bool dry_run = false;
};

// The codes that a dry run lists: those of repairs, and those of faults for
// which a clip is refused.
std::vector<std::string> CodesOfDryRuns(bool strict) {
  std::vector<std::string> codes;
  for (const CatalogueEntry& entry : Catalogue()) {
    const Severity severity = strict ? entry.strict : entry.lenient;
    const bool refuses = severity == Severity::kError;
    if (refuses || IsRepair(entry.name)) codes.emplace_back(entry.name);
  }
  return codes;
}

// A report of `repair` lists each change. Adds the codes of changes to those of
// --only. Returns what is wrong with --ignore; empty if nothing is.
std::string ListChanges(ReportOptions* report) {
  for (const CatalogueEntry& entry : Catalogue()) {
    if (!IsRepair(entry.name)) continue;
    for (const std::string& word : report->ignore) {
      if (NamesCode(word, entry.name)) {
        return "--ignore " + word + ": repair lists each change";
      }
    }
    if (!report->only.empty()) {
      report->only.emplace_back(entry.name);
    }
  }
  return {};
}

// Completes the options after the command line is parsed. Returns what is
// wrong; empty if nothing is.
std::string CompleteRepair(const CLI::App* app, const Session& session,
                           RepairFlags* flags) {
  std::string wrong = ChooseEngine(session, &flags->run);
  if (!wrong.empty()) return wrong;
  Repairs& repairs = flags->conversion.convert.edits.repairs;
  if (flags->all) {
    // On the command line, in the environment or in a file of options.
    const bool has_gaps = app->count("--fill-gaps") > 0;
    repairs = {true, true, has_gaps ? repairs.fill_gaps : kAllGapFrames, true,
               true};
  }
  if (IsEmpty(repairs)) {
    std::string flags_of_repairs;
    for (const OptionRow& row : Options()) {
      if (row.group != OptionGroup::kRepairs) continue;
      flags_of_repairs +=
          (flags_of_repairs.empty() ? "" : ", ") + FlagOf(row.name);
    }
    return "choose what to repair: --all, or some of " + flags_of_repairs;
  }
  wrong = CompleteOptions(app, session, nullptr, &flags->conversion.convert);
  if (!wrong.empty()) return wrong;
  wrong = ListChanges(&flags->conversion.convert.report);
  if (!wrong.empty()) return wrong;
  if (!flags->dry_run && flags->conversion.output.empty()) {
    return "-o says where the repaired clips go; --dry-run needs none";
  }
  if (flags->dry_run && IsTyped(session, "--resume")) {
    return "--resume has no effect with --dry-run";
  }
  const bool has_file = !flags->conversion.report_jsonl.empty();
  const bool forces = IsTyped(session, "--force") || IsTyped(session, "-f");
  if (flags->dry_run && !has_file && forces) {
    return "--force has no effect with --dry-run";
  }
  return {};
}

// Opens the file of --report-jsonl.
absl::Status OpenLines(const ConversionOptions& conversion, Console* console,
                       ValidateParts* parts) {
  const std::string& path = conversion.report_jsonl;
  const std::vector<SideFile> files = {{"--report-jsonl", path}};
  BVHMILL_RETURN_IF_ERROR(
      CheckSideFiles(files, conversion.read, parts->inputs));
  return parts->lines.emplace(console).Open(path, conversion.force,
                                            /*append=*/false);
}

// Reports what would change, as `validate` does.
int RunDry(const CLI::App* app, std::vector<Input> inputs, RepairFlags* flags,
           Session* session) {
  const ExitCode exit = OpenEngine(session);
  if (exit != kExitGood) return exit;
  ReportOutput output(session->console);
  const absl::Status status = output.Open(kStandardOutput, /*force=*/false);
  if (!status.ok()) {
    return Misused(app, session, std::string(MessageOf(status)));
  }
  ValidateFlags validate;
  validate.is_dry_run = true;
  validate.run = flags->run;
  validate.input = flags->input;
  validate.convert = flags->conversion.convert;
  std::vector<std::string>* only = &validate.convert.report.only;
  if (only->empty()) *only = CodesOfDryRuns(validate.convert.report.strict);
  ValidateParts parts;
  parts.inputs = std::move(inputs);
  const absl::Status lines =
      OpenLines(flags->conversion, session->console, &parts);
  if (!lines.ok()) return Misused(app, session, std::string(MessageOf(lines)));
  ExpectationsFlags no_expectations;
  no_expectations.none = true;
  auto expectations =
      ClipExpectations::Find(no_expectations, parts.inputs, session->cancel);
  if (!expectations.ok()) {
    return Misused(app, session, std::string(MessageOf(expectations.status())));
  }
  parts.expectations = *std::move(expectations);
  return CheckAll(validate, *session, &parts, &output);
}

int RunRepair(const CLI::App* app, RepairFlags* flags, Session* session) {
  const std::string wrong = CompleteRepair(app, *session, flags);
  if (!wrong.empty()) return Misused(app, session, wrong);
  ConversionOptions& conversion = flags->conversion;
  auto inputs = TakeInputs(flags->input, IdOfFile(conversion.output),
                           flags->run.quiet, *session);
  if (!inputs.ok()) {
    return Misused(app, session, std::string(MessageOf(inputs.status())));
  }
  session->options = flags->run;
  conversion.from = flags->input.from;
  conversion.read = FilesReadBy(app);
  if (flags->dry_run) return RunDry(app, *std::move(inputs), flags, session);
  conversion.convert.outputs = {{"", BvhFormat{}}};
  const std::string unfit = ChooseOutput(*inputs, &conversion);
  if (!unfit.empty()) return Misused(app, session, unfit);
  const absl::Status safe = CheckFiles(conversion, *inputs);
  if (!safe.ok()) return Misused(app, session, std::string(MessageOf(safe)));
  return ConversionRun(conversion, *std::move(inputs), session).Run();
}

void AddRepairOutputs(CLI::App* app, RepairFlags* flags) {
  const char* group = "Output";
  app->add_option("-o,--output", flags->conversion.output,
                  "folder for the repaired clips, as BVH; it is made if it\n"
                  "is missing; for one clip also a file *.bvh, or - for\n"
                  "stdout. Values without a fault stay the same as numbers\n"
                  "of 32 bits; their text may get shorter")
      ->type_name("DIR")
      ->group(group);
  app->add_flag("--dry-run", flags->dry_run,
                "write no clips, but say on stdout what would change;\n"
                "with --report-jsonl - as lines of JSON")
      ->group(group);
  AddFileOptions(app, group, &flags->conversion);
}

}  // namespace

Command AddRepair(CLI::App* parent) {
  const auto flags = std::make_shared<RepairFlags>();
  CLI::App* app = parent->add_subcommand(
      "repair", "repair known faults of clips, and say what changed");
  app->footer(kRepairExamples);
  AddInputOptions(app, &flags->input);
  AddRepairOutputs(app, flags.get());
  app->add_flag("--all", flags->all,
                "all repairs below; gaps of at most 10 frames")
      ->group("Repairs");
  AddOptionFlags(app, {OptionGroup::kRepairs}, &flags->conversion.convert);
  AddOptionFlags(app, {OptionGroup::kReading}, &flags->conversion.convert);
  AddOptionFlags(app, {OptionGroup::kReport}, &flags->conversion.convert);
  AddBatchOptions(app, &flags->run);
  AddServerOptions(app, kConvertingServer, &flags->run.connect);
  AddLocalOptions(app, &flags->run);
  return {app, [app, flags](Session* session) {
            return RunRepair(app, flags.get(), session);
          }};
}

}  // namespace bvhmill::client
