#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encoder.h"
#include "client/anim_options.h"
#include "client/commands/commands.h"
#include "client/commands/conversion.h"
#include "client/edit_options.h"

namespace bvhmill::client {
namespace {

constexpr std::string_view kReport = "report";

constexpr char kExamples[] =
    "  bvhmill convert take.bvh -o out --emit positions,report\n"
    "  bvhmill convert -r takes -o out --emit npz --table\n"
    "  bvhmill convert take.bvh -o out --emit csv --local\n"
    "  bvhmill convert -r takes -o out --emit npz --resume\n"
    "  bvhmill convert take.bvh -o out --emit npz --fps 30\n"
    "  bvhmill convert take.bvh -o out --emit npz --units cm --to-units m\n"
    "  bvhmill convert take.bvh -o out --emit bvh --joint-map mixamo\n"
    "  bvhmill convert take.bvh -o out --emit anim --anim-profile viewer\n"
    "  bvhmill convert take.bvh -o out --emit anim --anim-map mixamo \\\n"
    "    --anim-priority 4 --anim-loop --units cm\n";

struct Flags {
  RunOptions run;
  InputOptions input;
  ConversionOptions conversion;
  std::vector<std::string> emit;
  EditFlags edits;
  AnimFlags anim;
  bool end_sites = false;
  RotationKind rotation_kind = RotationKind::kQuaternion;
  RotationSpace rotation_space = RotationSpace::kLocal;
};

std::string FormatNames() {
  std::string names;
  for (const Format& format : Formats())
    names += std::string(format.name) + " ";
  return names + std::string(kReport);
}

// Broken behind the first half.
std::string InTwoLines(std::string words) {
  words[words.find(' ', words.size() / 2)] = '\n';
  return words;
}

std::string CheckFormat(const std::string& name) {
  if (name == kReport || FindFormat(name) != nullptr) return {};
  return "there is no format '" + name + "'; there are " + FormatNames();
}

struct ApplyFlags {
  const Flags& flags;

  void operator()(PositionsFormat& format) const {
    format.with_end_sites = flags.end_sites;
  }
  void operator()(RotationsFormat& format) const {
    format.kind = flags.rotation_kind;
    format.space = flags.rotation_space;
  }
  void operator()(VelocitiesFormat& format) const {
    format.with_end_sites = flags.end_sites;
  }
  void operator()(NpzFormat& format) const {
    format.with_end_sites = flags.end_sites;
  }
  void operator()(CsvFormat& format) const {
    format.with_end_sites = flags.end_sites;
  }
  void operator()(BvhFormat& /*format*/) const {}
  void operator()(AnimFormat& format) const { format = flags.anim.format; }
};

// A format named twice is made once.
void ChooseOutputs(Flags* flags) {
  std::vector<std::string> chosen;
  for (const std::string& name : flags->emit) {
    if (std::find(chosen.begin(), chosen.end(), name) != chosen.end()) continue;
    chosen.push_back(name);
    if (name == kReport) {
      flags->conversion.report = true;
      continue;
    }
    OutputRequest request;
    request.format = FindFormat(name)->defaults;
    std::visit(ApplyFlags{*flags}, request.format);
    flags->conversion.convert.outputs.push_back(request);
  }
}

void AddOutputOptions(CLI::App* app, Flags* flags) {
  const char* group = "Output";
  ConversionOptions& conversion = flags->conversion;
  app->add_option("-o,--output", conversion.output,
                  "directory for the outputs, made if missing")
      ->type_name("DIR")
      ->required()
      ->group(group);
  app->add_option("--emit", flags->emit,
                  "what to make, out of\n" + InTwoLines(FormatNames()))
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(CheckFormat, ""))
      ->required()
      ->group(group);
  app->add_flag("--end-sites", flags->end_sites,
                "end sites among the joints of positions, velocities,\n"
                "npz, csv")
      ->group(group);
  AddChoice<RotationKind>(app, "--rotation-kind", &flags->rotation_kind,
                          {{"quaternion", RotationKind::kQuaternion},
                           {"matrix", RotationKind::kMatrix},
                           {"6d", RotationKind::kSixD}},
                          "of rotations: quaternion (xyzw), matrix or 6d;\n"
                          "by default quaternion")
      ->group(group);
  AddChoice<RotationSpace>(
      app, "--rotation-space", &flags->rotation_space,
      {{"local", RotationSpace::kLocal}, {"world", RotationSpace::kWorld}},
      "of rotations: local (from the parent) or world;\n"
      "by default local")
      ->group(group);
  app->add_flag("-f,--force", conversion.force, "overwrite outputs that exist")
      ->group(group);
  app->add_flag("--resume", conversion.resume,
                "skip clips all of whose outputs exist")
      ->group(group);
  app->add_flag("--table", conversion.table, "print a row for each clip")
      ->group(group);
  app->add_option("--report-jsonl", conversion.report_jsonl,
                  "write a JSON object a line for each clip;\n- is stdout")
      ->type_name("FILE")
      ->group(group);
}

int Run(const CLI::App* app, Flags* flags, Session* session) {
  std::string wrong = CheckLocalOptions(app, flags->run);
  if (wrong.empty()) {
    wrong = ReadEditFlags(flags->edits, &flags->conversion.convert.edits);
  }
  if (wrong.empty()) wrong = ReadAnimFlags(app, &flags->anim);
  if (!wrong.empty()) return Misused(app, session, wrong);
  // What an earlier run made is not input of this one.
  auto inputs = CollectInputs(flags->input, IdOfFile(flags->conversion.output));
  if (!inputs.ok()) {
    return Misused(app, session, std::string(MessageOf(inputs.status())));
  }
  ChooseOutputs(flags);
  session->options = flags->run;
  return Conversion(flags->conversion, *std::move(inputs), session).Run();
}

}  // namespace

Command AddConvert(CLI::App* parent) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* app = parent->add_subcommand(
      "convert", "turn BVH clips into arrays, tables, BVH and .anim");
  app->footer(kExamples);
  AddInputOptions(app, &flags->input);
  AddOutputOptions(app, flags.get());
  AddAnimOptions(app, &flags->anim);
  AddReadingOptions(app, &flags->conversion.convert);
  AddEditOptions(app, &flags->edits, &flags->conversion.convert.edits);
  AddReportOptions(app, &flags->conversion.convert.report);
  AddBatchOptions(app, &flags->run);
  AddServerOptions(app, &flags->run.connect);
  AddLocalOptions(app, &flags->run);
  return {app, [app, flags](Session* session) {
            return Run(app, flags.get(), session);
          }};
}

}  // namespace bvhmill::client
