#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/encode/encode.h"
#include "client/cli/commands/commands.h"
#include "client/cli/commands/conversion.h"
#include "client/cli/io/clip_outputs.h"
#include "client/cli/options/help.h"
#include "client/cli/options/option_flags.h"
#include "client/cli/options/options.h"

namespace bvhmill::client {
namespace {

constexpr char kConvertExamples[] =
    "  bvhmill convert take.bvh -o take.npz\n"
    "  bvhmill convert take.bvh -o out --emit positions,report\n"
    "  bvhmill convert -r takes -o out --emit npz --table\n"
    "  bvhmill convert -r takes -o out --emit csv --server HOST:7450\n"
    "  bvhmill convert -r takes -o out --emit npz --resume\n"
    "  bvhmill convert -r anims --from anim -o out --emit bvh\n"
    "  bvhmill convert take.bvh -o - --emit csv | head\n"
    "  bvhmill convert take.bvh -o out --emit npz --fps 30\n"
    "  bvhmill convert take.bvh -o out --emit npz --units cm --to-units m\n"
    "  bvhmill convert take.bvh -o out --emit bvh --joint-map mixamo\n"
    "  bvhmill convert take.bvh -o out --emit anim --anim-profile viewer\n"
    "  bvhmill convert take.bvh -o out --emit anim --anim-upload \\\n"
    "    --anim-priority 4 --anim-loop --units cm\n";

struct ConvertFlags {
  RunOptions run;
  InputOptions input;
  ConversionOptions conversion;
  OutputFlags outputs;
};

void AddConvertOutputs(CLI::App* app, ConvertFlags* flags) {
  const char* group = "Output";
  ConversionOptions& conversion = flags->conversion;
  app->add_option("-o,--output", conversion.output,
                  "folder for the outputs; it is made if it is missing;\n"
                  "for one output of one clip also a file with the\n"
                  "extension of the format, or - for stdout")
      ->type_name("DIR")
      ->group(group);
  AddEmitFlag(app, "formats to make; default: the one that -o FILE names",
              kReportName, &flags->outputs);
  AddOutputFlags(app, &flags->outputs);
  app->add_flag("--delete", conversion.delete_gone,
                "delete outputs of these formats whose clips are\n"
                "gone, if the manifest of the folder lists them")
      ->group(group);
  app->add_flag("--dry-run", conversion.dry_run,
                "print the inputs and their outputs, and write nothing")
      ->group(group);
  app->add_flag("--table", conversion.table,
                "print a table with one row per clip")
      ->group(group);
  AddFileOptions(app, group, &conversion);
}

// A hint about a word among the inputs that is meant as an output: it is no
// file, but a format, or it comes last. Empty if there is none.
std::string MeantAsOutput(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || std::filesystem::exists(path, error)) continue;
    const std::string read = "; " + Quote(path) + " is taken as an input: ";
    if (FindFormat(path) != nullptr || path == kReportName) {
      return read + "name the format with --emit " + path;
    }
    if (paths.size() > 1 && path == paths.back()) {
      return read + "name the output with -o " + Printable(path);
    }
  }
  return {};
}

// Without --emit, the format is the one whose extension the output file has.
// Returns what is wrong with -o and --emit.
std::string ChooseFormat(const CLI::App* app, const InputOptions& input,
                         const std::string& output,
                         std::vector<std::string>* emit) {
  const std::string hint = MeantAsOutput(input.paths);
  if (app->count("--output") == 0) {
    return hint.empty() ? Missing(app, "--output") : "-o is missing" + hint;
  }
  if (output.empty()) return "-o: the name is empty";
  if (!emit->empty()) return {};
  std::string similar;
  for (const Format& format : Formats()) {
    if (output.ends_with(format.extension)) emit->emplace_back(format.name);
    if (format.extension.ends_with(".npy")) {
      similar.append(similar.empty() ? "" : ", ").append(format.name);
    }
  }
  if (output.ends_with(kReportExtension)) emit->emplace_back(kReportName);
  if (!emit->empty()) return {};
  if (output.ends_with(".npy")) {
    return "-o " + Printable(output) + " can be any of " + similar +
           "; name one of them with --emit, such as --emit positions";
  }
  const std::string no_folder = WhyNoFolder(output);
  if (!no_folder.empty()) return no_folder;
  return "--emit is missing" +
         (hint.empty() ? ": the formats to make in the folder " +
                             Printable(output) + ", such as --emit npz"
                       : hint);
}

int RunConvert(const CLI::App* app, ConvertFlags* flags, Session* session) {
  std::string wrong = ChooseEngine(*session, &flags->run);
  if (wrong.empty()) {
    wrong = ChooseFormat(app, flags->input, flags->conversion.output,
                         &flags->outputs.emit);
  }
  if (wrong.empty()) {
    wrong = CompleteOptions(app, *session, &flags->outputs,
                            &flags->conversion.convert);
  }
  if (!wrong.empty()) return Misused(app, session, wrong);
  // The outputs of an earlier run are no input of this one.
  auto inputs = TakeInputs(flags->input, IdOfFile(flags->conversion.output),
                           flags->run.quiet, *session);
  if (!inputs.ok()) {
    return Misused(app, session, std::string(MessageOf(inputs.status())));
  }
  const std::vector<std::string>& emit = flags->outputs.emit;
  flags->conversion.report =
      std::find(emit.begin(), emit.end(), kReportName) != emit.end();
  flags->conversion.from = flags->input.from;
  flags->conversion.read = FilesReadBy(app);
  wrong = ChooseOutput(*inputs, &flags->conversion);
  if (!wrong.empty()) return Misused(app, session, wrong);
  const absl::Status safe = CheckFiles(flags->conversion, *inputs);
  if (!safe.ok()) return Misused(app, session, std::string(MessageOf(safe)));
  session->options = flags->run;
  return ConversionRun(flags->conversion, *std::move(inputs), session).Run();
}

}  // namespace

Command AddConvert(CLI::App* parent) {
  const auto flags = std::make_shared<ConvertFlags>();
  CLI::App* app = parent->add_subcommand(
      "convert", "convert clips to arrays, tables, BVH and .anim");
  app->footer(kConvertExamples);
  AddInputOptions(app, &flags->input);
  AddConvertOutputs(app, flags.get());
  AddAnimFlags(app, &flags->outputs);
  AddOptionFlags(app, {OptionGroup::kReading}, &flags->conversion.convert);
  AddEditFlags(app, &flags->conversion.convert);
  AddOptionFlags(app, {OptionGroup::kReport}, &flags->conversion.convert);
  AddFailOnOption(app, &flags->conversion.fail_on);
  AddBatchOptions(app, &flags->run);
  AddServerOptions(app, kConvertingServer, &flags->run.connect);
  AddLocalOptions(app, &flags->run);
  return {app, [app, flags](Session* session) {
            return RunConvert(app, flags.get(), session);
          }};
}

}  // namespace bvhmill::client
